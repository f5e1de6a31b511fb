#include "berth/plan/portfolio.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "berth/base/parallel.h"
#include "berth/plan/greedy.h"
#include "berth/plan/squeaky_wheel.h"

namespace berth {
namespace {

using Key = Order::Key;

// Those that found the least arena of real networks, or came closest, lead.
constexpr std::array<GreedyRule, 8> kLeaders = {{
    {{Key::Size, true, true}, Fit::First},
    {{Key::Size, false, false}, Fit::First},
    {{Key::Start, true, true}, Fit::Best},
    {{Key::Size, true, false}, Fit::First},
    {{Key::Area, false, false}, Fit::First},
    {{Key::Start, false, false}, Fit::Best},
    {{Key::Start, false, true}, Fit::First},
    {{Key::Life, true, true}, Fit::First},
}};

std::vector<GreedyRule> all_rules() {
  std::vector<GreedyRule> rules(kLeaders.begin(), kLeaders.end());
  for (const GreedyRule rule : all_greedy_rules()) {
    if (std::find(kLeaders.begin(), kLeaders.end(), rule) == kLeaders.end()) rules.push_back(rule);
  }
  return rules;
}

// An instance is large where the effort lets each of its tasks be placed less often than this.
constexpr std::uint64_t kFewAttempts = 16;
// The squeaky wheel has learned what it can when it has placed each task this often.
constexpr std::uint64_t kLessons = 64;

// To place fewer than these takes about as long as to start a thread.
constexpr std::size_t kFewTasks = 4096;

class Portfolio {
 public:
  Portfolio(const Problem& problem, std::uint64_t effort, const Deadline& deadline,
            std::size_t threads)
      : problem_(problem),
        effort_(effort),
        deadline_(deadline),
        threads_(problem.tasks().size() < kFewTasks ? 1 : std::max<std::size_t>(threads, 1)) {}

  // From where it left off, as long as that spends no more than `effort` in all.
  void try_rules(std::uint64_t effort) {
    while (next_rule_ < rules_.size() && goes_on(effort)) {
      std::vector<Candidate> found(std::min(threads_, rules_.size() - next_rule_));
      for_each_index(found.size(), threads_, [&](std::size_t i) {
        found[i] = pack_greedily(problem_, rules_[next_rule_ + i], deadline_);
      });
      for (std::size_t i = 0; i < found.size() && goes_on(effort); ++i, ++next_rule_) {
        offer(std::move(found[i]));
      }
    }
  }

  void try_squeaky_wheel(std::uint64_t effort) {
    if (goes_on(effort_)) offer(pack_by_squeaky_wheel(problem_, effort, deadline_, threads_));
  }

  bool is_large() const { return size() > effort_ / kFewAttempts; }
  std::uint64_t size() const { return problem_.tasks().size(); }
  // What is left for repairs, once each task was placed.
  std::uint64_t left() const { return effort_ - std::min(effort_, nodes_ + size()); }

  Candidate best() && {
    best_.nodes = nodes_;
    best_.work = work_;
    best_.cut = cut_;
    return std::move(best_);
  }

 private:
  bool goes_on(std::uint64_t effort) const {
    if (best_.packer.empty()) return true;
    return !cut_ && best_peak_ > problem_.lower_bound() &&
           size() <= effort - std::min(effort, nodes_);
  }

  void offer(Candidate candidate) {
    nodes_ += candidate.nodes;
    work_ += candidate.work;
    cut_ = candidate.cut;
    const auto peak = problem_.peak(candidate.places);
    if (!best_.packer.empty() && peak >= best_peak_) return;
    best_ = std::move(candidate);
    best_peak_ = peak;
  }

  const Problem& problem_;
  std::uint64_t effort_;
  const Deadline& deadline_;
  std::size_t threads_;
  std::vector<GreedyRule> rules_ = all_rules();
  std::size_t next_rule_ = 0;
  Candidate best_;
  std::uint64_t best_peak_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t work_ = 0;
  bool cut_ = false;
};

}  // namespace

Candidate best_of_portfolio(const Problem& problem, std::uint64_t effort, const Deadline& deadline,
                            std::size_t threads) {
  Portfolio portfolio(problem, effort, deadline, threads);
  if (portfolio.is_large()) {
    // What hardly has two attempts gives them all to the one.
    portfolio.try_squeaky_wheel(portfolio.size() > effort / 4 ? effort : effort / 2);
  } else {
    portfolio.try_rules(std::min(effort / 4, kLeaders.size() * portfolio.size()));
    portfolio.try_squeaky_wheel(std::min(portfolio.left() / 2, kLessons * portfolio.size()));
  }
  portfolio.try_rules(effort);
  return std::move(portfolio).best();
}

}  // namespace berth

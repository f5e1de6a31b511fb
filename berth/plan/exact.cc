#include "berth/plan/exact.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include "berth/plan/floor_search.h"

namespace berth {
namespace {

constexpr std::uint64_t kFirstBudget = 512;
constexpr std::uint64_t kBoundShare = 8;  // the bound gets so many times what the others do
constexpr std::uint64_t kLessWhenMet = 8;
// Past this, sums of places and extents in units could come near 64 bits.
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 60;

using Look = Strategy::Look;
using Try = Strategy::Try;

// A strategy that learns either wins soon or hardly ever. So that no instance is unlucky for good,
// those after the steady ones forget what they learned and prefer a little differently every epoch.
constexpr std::size_t kSteady = 4;
constexpr std::uint64_t kRoundsToAnEpoch = 2;

std::vector<Strategy> strategies() {
  return {{Look::Lowest, Try::Largest},   {Look::Steepest, Try::Largest},
          {Look::Troubled, Try::Longest}, {Look::Steepest, Try::SnugLongest},
          {Look::Troubled, Try::Longest}, {Look::Troubled, Try::Longest}};
}

// All in units of the board.
class Narrowing {
 public:
  Narrowing(const Problem& problem, const Board& board, const ExactOptions& options,
            std::uint64_t lower, std::uint64_t upper)
      : problem_(problem),
        board_(board),
        options_(options),
        search_(board, options.shortcuts, options.deadline),
        most_nodes_(options.most_nodes),
        lower_(lower),
        upper_(upper) {
    if (problem.usable()) usable_.exactly = *problem.usable() / board.unit();
  }

  // Where the question is what fits, that comes first and with all there is; what is no longer
  // asked gets little.
  void run() {
    auto budget = kFirstBudget;
    for (std::uint64_t round = 0; has_work(); ++round, budget += budget / 2) {
      tell();
      if (is_usable_open()) {
        aim_at(usable_, round, kBoundShare * budget);
      } else {
        settle_for_less();
        aim_at(bound_, round, kBoundShare * budget);
        aim_at(near_, round, 2 * budget);
        aim_at(middle_, round, budget);
        aim_at(best_, round, budget);
      }
    }
  }

  std::uint64_t lower() const { return lower_; }
  std::uint64_t upper() const { return upper_; }
  // Nothing if none better than the start was found.
  std::optional<Places> places() && { return std::move(places_); }
  std::uint64_t nodes() const { return search_.nodes(); }

 private:
  // Where between the bound and the best a capacity is aimed at, and who aims: what a strategy
  // learns about one target would mislead it about another, so each has its own.
  struct Target {
    std::uint64_t eighths_up = 0;
    std::optional<std::uint64_t> exactly{};  // instead
    std::vector<Strategy> team = strategies();
  };

  bool has_work() const {
    return lower_ < upper_ && !is_refused() && nodes_left() > 0 && !options_.deadline.has_passed();
  }
  void tell() const {
    if (!options_.on_progress) return;
    options_.on_progress(upper_ * board_.unit(), lower_ * board_.unit(), search_.nodes());
  }
  std::uint64_t nodes_left() const { return most_nodes_ - std::min(most_nodes_, search_.nodes()); }

  // Whether it is known that nothing fits what there is.
  bool is_refused() const { return usable_.exactly && *usable_.exactly < lower_; }
  // Whether what there is is neither met nor refused.
  bool is_usable_open() const {
    return usable_.exactly && lower_ <= *usable_.exactly && *usable_.exactly < upper_;
  }
  void settle_for_less() {
    if (!usable_.exactly || is_settled_) return;
    is_settled_ = true;
    most_nodes_ = search_.nodes() + nodes_left() / kLessWhenMet;
  }

  std::uint64_t capacity(const Target& target) const {
    if (target.exactly) return *target.exactly;
    return lower_ + (upper_ - 1 - lower_) / 8 * target.eighths_up +
           (upper_ - 1 - lower_) % 8 * target.eighths_up / 8;
  }

  void renew(Strategy& strategy, std::uint64_t round) const {
    strategy.seed = options_.seed + round + 1;
    strategy.trouble.clear();
    strategy.trouble_step = Strategy::kTroubleOne;
  }

  // Again as long as it leads somewhere.
  void aim_at(Target& target, std::uint64_t round, std::uint64_t budget) {
    auto& team = target.team;
    for (std::size_t turn = 0; turn < team.size() && has_work();) {
      if (target.exactly && !is_usable_open()) return;
      if (turn >= kSteady && round % kRoundsToAnEpoch == 0) renew(team[turn], 2 * round + turn);
      const auto aim = capacity(target);
      const auto outcome = search_.run(aim, team[turn], std::min(budget, nodes_left()));
      if (outcome == FloorSearch::Outcome::Stopped) {
        ++turn;
      } else if (outcome == FloorSearch::Outcome::Fits) {
        keep(search_.places());
        tell();
      } else {
        lower_ = std::min(upper_, std::max(aim + 1, search_.least_capacity()));
      }
    }
  }

  void keep(const std::vector<std::uint64_t>& places_of_pieces) {
    Places places(problem_.tasks().size());
    std::uint64_t peak = 0;
    for (std::size_t i = 0; i < places_of_pieces.size(); ++i) {
      const Piece& piece = board_.pieces()[i];
      places[piece.task] = places_of_pieces[i] * board_.unit();
      peak = std::max(peak, places_of_pieces[i] + piece.extent);
    }
    assert(peak < upper_);
    upper_ = peak;
    places_ = std::move(places);
  }

  const Problem& problem_;
  const Board& board_;
  const ExactOptions& options_;
  FloorSearch search_;
  std::uint64_t most_nodes_;
  Target bound_{0};
  Target near_{1};
  Target middle_{4};
  Target best_{8};
  Target usable_;  // its place, where it is limited
  bool is_settled_ = false;
  std::uint64_t lower_;
  std::uint64_t upper_;
  std::optional<Places> places_;
};

std::uint64_t divided_up(std::uint64_t value, std::uint64_t unit) {
  return value / unit + (value % unit == 0 ? 0 : 1);
}

}  // namespace

Candidate improve_exactly(const Problem& problem, Candidate start, const ExactOptions& options) {
  const auto peak = problem.peak(start.places);
  if (start.lower_bound == peak || options.most_nodes == 0) return start;
  const auto board = Board::of(problem, options.shortcuts, options.most_cells);
  if (!board || peak / board->unit() > kMostUnits) return start;

  Narrowing narrowing(problem, *board, options, divided_up(start.lower_bound, board->unit()),
                      divided_up(peak, board->unit()));
  narrowing.run();
  start.nodes += narrowing.nodes();
  start.cut = start.cut || (narrowing.lower() < narrowing.upper() && options.deadline.has_passed());
  start.lower_bound = std::min(peak, narrowing.lower() * board->unit());
  if (auto places = std::move(narrowing).places()) {
    start.places = *std::move(places);
    start.packer = kExactName;
  }
  return start;
}

}  // namespace berth

#include "berth/render/sweep_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "berth/render/columns.h"
#include "berth/render/map_style.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"

namespace berth {
namespace {

constexpr Length kWidth = 960 * kPixel;
constexpr Length kHeight = 480 * kPixel;
constexpr Box kPlot = {90 * kPixel, 84 * kPixel, 760 * kPixel, 320 * kPixel};
constexpr Length kMergedWithin = kPixel / 4;  // steps that no eye could tell apart

// Where bytes stand in the plot. `axis` spans at least a byte.
class Axis {
 public:
  Axis(std::uint64_t from, std::uint64_t to, Length begin, Length length)
      : from_(from), span_(std::max<std::uint64_t>(to - from, 1)), begin_(begin), length_(length) {}

  Length at(std::uint64_t value) const {
    const double part = static_cast<double>(value - from_) / static_cast<double>(span_);
    return begin_ + static_cast<Length>(part * static_cast<double>(length_));
  }
  std::uint64_t from() const { return from_; }
  std::uint64_t to() const { return from_ + span_; }

 private:
  std::uint64_t from_;
  std::uint64_t span_;
  Length begin_;
  Length length_;
};

// The smallest power of two that divides the span into at most six.
std::vector<std::uint64_t> ticks(const Axis& axis) {
  std::uint64_t tick = 1;
  while ((axis.to() - axis.from()) / tick > 6) tick *= 2;
  std::vector<std::uint64_t> list;
  const std::uint64_t rest = axis.from() % tick;
  std::uint64_t at = rest == 0 ? axis.from() : axis.from() - rest;
  if (rest != 0 && __builtin_add_overflow(at, tick, &at)) return list;
  while (at <= axis.to()) {
    list.push_back(at);
    if (__builtin_add_overflow(at, tick, &at)) break;
  }
  return list;
}

std::string short_bytes(std::uint64_t bytes) {
  return human(Bytes(bytes));
}

template <typename Figure>
std::string stairs(std::string_view classes, const Sweep& sweep, const Axis& across, const Axis& up,
                   const Figure& figure) {
  const auto y = [&](const SweepStep& step) {
    return 2 * kPlot.y + kPlot.height - up.at(figure(step).count());
  };
  std::string path = fmt::format("<path class=\"{}\" d=\"M{} {}", classes,
                                 px(across.at(sweep.steps[0].sram.count())), px(y(sweep.steps[0])));
  Length last = -kPixel;
  for (const SweepStep& step : sweep.steps) {
    const Length x = across.at(step.sram.count());
    const Length height = y(step);
    if (x - last >= kMergedWithin) path += fmt::format("H{}", px(x));
    path += fmt::format("V{}", px(height));
    last = x;
  }
  return path + fmt::format("H{}\"/>\n", px(across.at(sweep.to.count())));
}

std::string grid(const Axis& across, const Axis& up) {
  std::string text;
  const Length bottom = kPlot.y + kPlot.height;
  for (const std::uint64_t bytes : ticks(up)) {
    const Length y = 2 * kPlot.y + kPlot.height - up.at(bytes);
    text += line("g", kPlot.x, y, kPlot.x + kPlot.width, y);
    text += text_at("dim end", kPlot.x - 8 * kPixel, y + 4 * kPixel, short_bytes(bytes));
  }
  for (const std::uint64_t bytes : ticks(across)) {
    const Length x = across.at(bytes);
    text += line("g", x, kPlot.y, x, bottom + 4 * kPixel);
    text += text_at("dim mid", x, bottom + 18 * kPixel, short_bytes(bytes));
  }
  text += text_at("dim mid", kPlot.x + kPlot.width / 2, bottom + 40 * kPixel, "SRAM of each chip");
  return text + text_at("dim", kPlot.x, kPlot.y - 10 * kPixel, "bytes off chip a step");
}

bool is_proved(const Sweep& sweep) {
  return std::ranges::all_of(sweep.steps,
                             [](const SweepStep& step) { return step.best == step.bound; });
}

std::string key(bool proved) {
  struct Entry {
    const char* classes;
    const char* text;
  };
  std::vector<Entry> entries = {{"rule", "rule"}, {"best", proved ? "best, proved" : "best found"}};
  if (!proved) entries.push_back({"bound", "proved bound"});
  std::string text;
  Length y = kPlot.y + 10 * kPixel;
  const Length x = kPlot.x + kPlot.width + 12 * kPixel;
  for (const Entry& entry : entries) {
    text += line(entry.classes, x, y, x + 18 * kPixel, y);
    text += text_at("", x + 24 * kPixel, y + 4 * kPixel, entry.text);
    y += 18 * kPixel;
  }
  return text;
}

constexpr std::string_view kStairs =
    ".berth .rule,.berth .best,.berth .bound{fill:none;stroke-width:2}"
    ".berth .rule{stroke:var(--peak)}.berth .best{stroke:#3b82c4}"
    ".berth .bound{stroke:var(--dim);stroke-dasharray:3 3}";

}  // namespace

std::string sweep_table(const Sweep& sweep) {
  std::vector<std::vector<std::string>> rows = {
      {"SRAM from", "rule", "best", "bound", "rule/best", ""}};
  for (const SweepStep& it : sweep.steps) {
    rows.push_back({std::to_string(it.sram.count()), std::to_string(it.rule.count()),
                    std::to_string(it.best.count()), std::to_string(it.bound.count()),
                    it.best == Bytes(0)
                        ? "-"
                        : fmt::format("{:.3f}", static_cast<double>(it.rule.count()) /
                                                    static_cast<double>(it.best.count())),
                    it.feasible ? "" : "does not fit"});
  }
  return fmt::format("bytes that {} moves off chip a step on {}, by the SRAM of each chip\n\n",
                     shortened(sweep.deployment, 40), shortened(sweep.target, 40)) +
         columns(rows, 5);
}

std::string sweep_svg(const Sweep& sweep) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"berth\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"traffic by SRAM of {2}\">\n"
      "<style>{3}{4}</style>\n",
      px(kWidth), px(kHeight), xml_text(shortened(sweep.deployment, 90)), kMapStyle, kStairs);
  text += rect("page", {0, 0, kWidth, kHeight});
  text += text_at("h1", 24 * kPixel, 32 * kPixel, shortened(sweep.deployment, 80));
  text += text_at("dim", 24 * kPixel, 52 * kPixel,
                  "traffic off chip by SRAM, on " + shortened(sweep.target, 80));
  text += rect("plot", kPlot);
  if (!sweep.steps.empty()) {
    std::uint64_t most = 0;
    for (const SweepStep& it : sweep.steps) {
      most = std::max({most, it.rule.count(), it.best.count()});
    }
    const Axis across(sweep.steps[0].sram.count(), sweep.to.count(), kPlot.x, kPlot.width);
    const Axis up(0, most, kPlot.y, kPlot.height);
    text += grid(across, up);
    const bool proved = is_proved(sweep);
    if (!proved) text += stairs("bound", sweep, across, up, [](auto& it) { return it.bound; });
    text += stairs("rule", sweep, across, up, [](auto& it) { return it.rule; });
    text += stairs("best", sweep, across, up, [](auto& it) { return it.best; });
    text += key(proved);
  }
  return text + "</svg>\n";
}

}  // namespace berth

#include "berth/render/state_ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/render/svg.h"
#include "berth/render/text.h"

namespace berth {
namespace {

constexpr std::size_t kMostRungs = 32;
constexpr Length kRung = 22 * kPixel;
constexpr Length kNames = 190 * kPixel;    // left of the plot
constexpr Length kFigures = 250 * kPixel;  // right of it

class Ladder {
 public:
  Ladder(const Residency& plan, ChipId chip, const Box& within)
      : chip_(plan.chips[chip.index()]),
        left_(within.x + kNames),
        width_(within.width - kNames - kFigures),
        top_(within.y + 46 * kPixel) {
    text_ = fmt::format(
        "<text x=\"{}\" y=\"{}\"><tspan class=\"h2\">chip {}</tspan><tspan class=\"dim\" "
        "dx=\"10\">SRAM {}, reserve {}, states {}, free {}</tspan></text>\n",
        px(within.x), px(within.y + 18 * kPixel), chip.index(), to_string(chip_.sram),
        to_string(chip_.reserve), to_string(chip_.states), to_string(free()));
  }

  void add_reserve() {
    label("reserve", "the largest program, while it runs");
    bar("held", Bytes(0), std::min(chip_.reserve, chip_.sram));
    end_ = chip_.reserve;
    next();
  }

  void add(const ClassResidency& it) {
    const StateClass& state = it.state;
    const Bytes kept = *checked_multiply(state.bytes, it.on_chip());
    const Bytes below = state.held() - kept;
    label(state.program + "." + state.tensor, figures(it));
    bar("sram", end_, kept);
    bar(it.tier == Tier::Hbm ? "off hbm" : "off dram", end_ + kept, below);
    end_ += kept;
    next();
  }

  void add_free() {
    label("free", human(free()));
    bar("room", end_, free());
    next();
  }

  void add_rest(std::size_t count) {
    text_ += text_at("dim", left_, y_ + 14 * kPixel, fmt::format("and {} more classes", count));
    next();
  }

  // The cut line, over all rungs.
  Drawn take(const Box& within) && {
    const Length x = at(chip_.sram);
    text_ += line("cap", x, top_ - 6 * kPixel, x, y_ + 2 * kPixel);
    text_ += text_at("no end", x, top_ - 10 * kPixel, "end of the SRAM");
    if (is_torn_) {
      text_ += text_at("dim end", left_ + width_, y_ + 14 * kPixel,
                       "torn: goes on past the edge, as large as is said beside it");
      y_ += 14 * kPixel;
    }
    return {std::move(text_), y_ + 20 * kPixel - within.y};
  }

 private:
  Bytes free() const {
    return chip_.room() < chip_.states ? Bytes(0) : chip_.room() - chip_.states;
  }

  bool past_edge(Bytes bytes) const {
    const double whole = static_cast<double>(std::max<std::uint64_t>(chip_.sram.count(), 1));
    return static_cast<double>(bytes.count()) / whole * 0.75 > 1.0;
  }

  // The SRAM takes three quarters, so that what is past its end shows.
  Length at(Bytes bytes) const {
    const double whole = static_cast<double>(std::max<std::uint64_t>(chip_.sram.count(), 1));
    const double part = static_cast<double>(bytes.count()) / whole * 0.75;
    return left_ + static_cast<Length>(std::min(part, 1.0) * static_cast<double>(width_));
  }

  static std::string figures(const ClassResidency& it) {
    const StateClass& state = it.state;
    std::string text = human(state.held()) + " in " + std::string(to_string(it.tier));
    if (it.split > 0) {
      text = fmt::format("{}, {} of {} in sram", human(state.held()), it.split, state.instances);
    }
    if (state.bytes == Bytes(0)) return text;
    return text + fmt::format(", {:.4f} moved/byte", static_cast<double>(state.moved.count()) /
                                                         static_cast<double>(state.bytes.count()));
  }

  void label(const std::string& name, const std::string& figures) {
    text_ += text_at("end", left_ - 8 * kPixel, y_ + 14 * kPixel, shortened(name, 28));
    text_ += text_at("dim", left_ + width_ + 10 * kPixel, y_ + 14 * kPixel, figures);
  }

  void bar(std::string_view classes, Bytes from, Bytes bytes) {
    if (bytes == Bytes(0)) return;
    const Length begin = at(from);
    const auto end = checked_add(from, bytes);
    const Length width = std::max((end ? at(*end) : left_ + width_) - begin, kPixel);
    const Box box = {begin, y_ + 3 * kPixel, width, kRung - 6 * kPixel};
    text_ += rect(classes, box);
    if (!end || past_edge(*end)) text_ += torn(box);
  }

  // Where a bar goes on past the plot: its end torn off, in the page's colour.
  std::string torn(const Box& box) {
    is_torn_ = true;
    constexpr int kTeeth = 3;
    const Length right = box.x + box.width + kPixel;
    const Length half = (box.height + 2 * kPixel) / (2 * kTeeth);
    std::string path =
        fmt::format("<path class=\"torn\" d=\"M{} {}", px(right), px(box.y - kPixel));
    for (int i = 0; i < kTeeth; ++i) {
      path += fmt::format("l{0} {1}l{2} {1}", px(-9 * kPixel), px(half), px(9 * kPixel));
    }
    return path + "\"/>\n";
  }

  void next() { y_ += kRung; }

  const ChipResidency& chip_;
  Length left_;
  Length width_;
  Length top_;
  Length y_ = top_;
  Bytes end_;
  bool is_torn_ = false;
  std::string text_;
};

}  // namespace

Drawn state_ladder(const Residency& plan, ChipId chip, const Box& within) {
  Ladder ladder(plan, chip, within);
  ladder.add_reserve();
  std::size_t rungs = 0;
  for (const ClassResidency& it : plan.classes) {
    if (it.state.chip == chip && rungs++ < kMostRungs) ladder.add(it);
  }
  if (rungs > kMostRungs) {
    ladder.add_rest(rungs - kMostRungs);
  } else {
    ladder.add_free();
  }
  return std::move(ladder).take(within);
}

}  // namespace berth

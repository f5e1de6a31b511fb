#include "berth/render/tier_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "berth/render/map_style.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"

namespace berth {
namespace {

constexpr std::size_t kMostTiles = 1'500;
constexpr std::size_t kMostLanes = 12;
constexpr Length kLane = 16 * kPixel;
constexpr Length kPlotHeight = 260 * kPixel;
constexpr Length kMargin = 80 * kPixel;

class TierMap {
 public:
  TierMap(const ProgramResidency& kept, const Program& program, const Layout& layout,
          const Box& within)
      : kept_(kept),
        program_(program),
        layout_(layout),
        within_(within),
        left_(within.x + kMargin),
        width_(within.width - kMargin - 110 * kPixel),
        phases_(std::max<std::size_t>(program.phases.size(), 1)) {}

  Drawn draw() {
    heading();
    const Length lanes = off_chip(within_.y + 58 * kPixel);
    top_ = within_.y + 66 * kPixel + lanes;
    text_ += rect("plot", {left_, top_, width_, kPlotHeight});
    ticks();
    tiles();
    limits();
    return {std::move(text_), top_ + kPlotHeight + 40 * kPixel - within_.y};
  }

 private:
  void heading() {
    text_ += fmt::format(
        "<text x=\"{}\" y=\"{}\"><tspan class=\"h2\">{}</tspan><tspan class=\"dim\" dx=\"10\">chip "
        "{}: {} of {} that buffers and states leave{}</tspan></text>\n",
        px(within_.x), px(within_.y + 18 * kPixel), xml_text(shortened(kept_.name, 40)),
        layout_.chip.index(), to_string(layout_.arena), to_string(layout_.room),
        layout_.forced_out.empty()
            ? ""
            : fmt::format("; {} left for want of a layout", layout_.forced_out.size()));
  }

  struct Stay {
    TensorId tensor;
    LiveRange phases;
  };

  // What is off chip, and when.
  std::vector<Stay> away() const {
    std::vector<Stay> list;
    for (const Spill& spill : kept_.spilled) {
      if (spill.chip == layout_.chip) list.push_back({spill.tensor, life_of(spill.tensor)});
    }
    for (const TensorId id : layout_.forced_out) list.push_back({id, life_of(id)});
    for (const PartlyKept& it : kept_.partly) {
      if (it.chip != layout_.chip) continue;
      const LiveRange life = life_of(it.tensor);
      Step from = life.lower;
      for (const auto& [phases, saved] : it.stretches) {
        if (from < phases.lower) list.push_back({it.tensor, {from, phases.lower}});
        from = phases.upper;
      }
      if (from < life.upper) list.push_back({it.tensor, {from, life.upper}});
    }
    return list;
  }

  // In the first lane that is free, what is off chip; what that takes in height.
  Length off_chip(Length top) {
    auto list = away();
    if (list.empty()) return 0;
    std::ranges::stable_sort(list, {}, [](const Stay& it) { return it.phases.lower; });
    std::vector<Step> free_from;
    std::size_t left_out = 0;
    for (const auto& [id, life] : list) {
      auto lane = std::ranges::find_if(free_from, [&](Step step) { return step <= life.lower; });
      if (lane == free_from.end() && free_from.size() == kMostLanes) {
        ++left_out;
        continue;
      }
      if (lane == free_from.end()) lane = free_from.insert(lane, 0);
      *lane = life.upper;
      const auto row = static_cast<Length>(lane - free_from.begin());
      const Box box = {x(life.lower), top + row * kLane, x(life.upper) - x(life.lower),
                       kLane - 3 * kPixel};
      text_ += titled("off dram", box, {id, life}, "off chip");
      name_in(box, id);
    }
    const auto lanes = static_cast<Length>(free_from.size());
    const std::string more = left_out == 0 ? "" : fmt::format(" ({} more)", left_out);
    text_ += text_at("dim", left_, top - 6 * kPixel, "off chip" + more);
    return lanes * kLane + 8 * kPixel;
  }

  void tiles() {
    std::vector<PlacedTensor> places = layout_.places;
    if (places.size() > kMostTiles) {
      std::ranges::stable_sort(places, std::ranges::greater(),
                               [&](const PlacedTensor& it) { return bytes_of(it.tensor); });
      text_ += text_at("dim", left_ + width_ + 8 * kPixel, top_ + 60 * kPixel,
                       fmt::format("{} smaller", places.size() - kMostTiles));
      places.resize(kMostTiles);
    }
    for (const PlacedTensor& it : places) {
      const LiveRange life = it.stretch.value_or(life_of(it.tensor));
      const Length bottom = y(it.offset.value());
      const Length high = y(it.offset.value() + bytes_of(it.tensor).count());
      const Box box = {x(life.lower), high, std::max(x(life.upper) - x(life.lower), kPixel / 4),
                       std::max(bottom - high, kPixel / 4)};
      text_ += titled(fmt::format("b c{}", it.tensor.index() % kMapColours), box, {it.tensor, life},
                      fmt::format("at {}", it.offset.value()));
      name_in(box, it.tensor);
    }
  }

  void limits() {
    const Length right = left_ + width_;
    const Length arena = y(layout_.arena.count());
    text_ += line("top", left_, arena, right, arena);
    const bool shows_room = scale() == layout_.room.count();
    // Below the room's own label.
    const Length label =
        shows_room ? std::max(arena + 4 * kPixel, top_ + 11 * kPixel) : arena + 4 * kPixel;
    text_ += text_at("", right + 8 * kPixel, label, "arena");
    text_ += text_at("dim", right + 8 * kPixel, label + 13 * kPixel, human(layout_.arena));
    if (shows_room) {
      text_ += line("cap", left_, top_, right, top_);
      text_ += text_at("no", right + 8 * kPixel, top_ - 4 * kPixel, "room " + human(layout_.room));
    }
    text_ += text_at("dim mid", left_ + width_ / 2, top_ + kPlotHeight + 30 * kPixel, "phase");
  }

  void ticks() {
    std::uint64_t tick = 1;
    while (scale() / tick > 5) tick *= 2;
    for (std::uint64_t byte = 0; byte <= scale(); byte += tick) {
      text_ += line("g", left_, y(byte), left_ + width_, y(byte));
      text_ += text_at("dim end", left_ - 8 * kPixel, y(byte) + 4 * kPixel, human(Bytes(byte)));
      if (scale() - byte < tick) break;
    }
    std::size_t step = 1;
    while (phases_ / step > 16) step *= 2;
    for (std::size_t phase = 0; phase <= phases_; phase += step) {
      text_ += line("g", x(phase), top_, x(phase), top_ + kPlotHeight + 4 * kPixel);
      text_ +=
          text_at("dim mid", x(phase), top_ + kPlotHeight + 16 * kPixel, std::to_string(phase));
    }
  }

  std::string titled(const std::string& classes, const Box& box, const Stay& stay,
                     const std::string& where) const {
    const auto& [id, life] = stay;
    return fmt::format(
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}: {}, phases {} "
        "to "
        "{}, {}</title></rect>\n",
        classes, px(box.x), px(box.y), px(box.width), px(box.height),
        xml_text(shortened(program_.tensors[id.index()].name, 60)), to_string(bytes_of(id)),
        life.lower, life.upper - 1, where);
  }

  void name_in(const Box& box, TensorId id) {
    const auto fits = static_cast<std::size_t>(std::max<Length>(box.width / kLetter - 1, 0));
    if (fits < 3 || box.height < 12 * kPixel) return;
    text_ += text_at("n", box.x + 4 * kPixel, box.y + box.height / 2 + 4 * kPixel,
                     shortened(program_.tensors[id.index()].name, fits));
  }

  Bytes bytes_of(TensorId id) const { return program_.tensors[id.index()].bytes; }
  // A table lives in all phases.
  LiveRange life_of(TensorId id) const {
    const bool is_table = program_.tensors[id.index()].kind == TensorKind::State;
    return is_table ? LiveRange{0, phases_} : *kept_.lives[id.index()];
  }

  Length x(Step phase) const {
    return left_ + static_cast<Length>(static_cast<double>(phase) / static_cast<double>(phases_) *
                                       static_cast<double>(width_));
  }
  // The room where the arena takes two thirds of it, else a little more than the arena.
  std::uint64_t scale() const {
    const std::uint64_t arena = std::max<std::uint64_t>(layout_.arena.count(), 1);
    return std::max(std::min(layout_.room.count(), arena + arena / 2), arena);
  }
  Length y(std::uint64_t byte) const {
    return top_ + kPlotHeight -
           static_cast<Length>(static_cast<double>(byte) / static_cast<double>(scale()) *
                               static_cast<double>(kPlotHeight));
  }

  const ProgramResidency& kept_;
  const Program& program_;
  const Layout& layout_;
  Box within_;
  Length left_;
  Length width_;
  std::size_t phases_;
  Length top_ = 0;
  std::string text_;
};

}  // namespace

Drawn tier_map(const ProgramResidency& kept, const Program& program, const Layout& layout,
               const Box& within) {
  return TierMap(kept, program, layout, within).draw();
}

}  // namespace berth

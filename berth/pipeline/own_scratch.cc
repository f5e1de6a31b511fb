#include "berth/pipeline/own_scratch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "berth/ir/last_touches.h"

namespace berth {
namespace {

using Kind = TensorAccess::Kind;

std::optional<Offset> place_of(const OfflinePlan& plan, TensorId tensor) {
  return tensor.index() < plan.size() ? plan[tensor.index()] : std::nullopt;
}

bool is_inside(std::uint64_t place, Bytes bytes, std::uint64_t region, Bytes region_bytes) {
  return place >= region && place - region <= region_bytes.count() &&
         bytes.count() <= region_bytes.count() - (place - region);
}

bool has_bytes(const Tensor& tensor) {
  return !tensor.dynamic && tensor.bytes > Bytes(0) && tensor.kind != TensorKind::Weight &&
         tensor.kind != TensorKind::State;
}

// A tensor that the plan places, over the steps in which others see its value: what a compiled
// operator writes appears once it is done.
struct Seen {
  LiveRange life;
  std::uint64_t place = 0;
  std::uint64_t end = 0;
  TensorId tensor;
};

class Regions {
 public:
  Regions(Program program, const OfflinePlan& plan)
      : program_(std::move(program)),
        plan_(plan),
        is_scratch_(program_.tensors.size(), false),
        is_compiled_(program_.phases.size(), false) {}

  WithScratch make() {
    for (const OwnScratch& it : own_scratch(program_)) {
      is_scratch_[it.tensor.index()] = true;
      if (place_of(plan_, it.tensor)) regions_.push_back(it);
    }
    std::ranges::stable_sort(regions_, std::greater(), [&](const OwnScratch& it) {
      return program_.tensors[it.tensor.index()].bytes;
    });
    write_scratch();
    if (!regions_.empty()) add_views();
    // One that stands in another is no region of its own.
    std::erase_if(regions_, [&](const OwnScratch& it) {
      return program_.tensors[it.tensor.index()].view_of.has_value();
    });
    return {std::move(program_), std::move(regions_)};
  }

 private:
  void write_scratch() {
    for (std::size_t i = 0; i < program_.phases.size(); ++i) {
      for (TensorAccess& access : program_.phases[i].accesses) {
        if (!is_scratch_[access.tensor.index()]) continue;
        access.kind = Kind::Write;
        is_compiled_[i] = is_compiled_[i] || place_of(plan_, access.tensor);
      }
    }
  }

  void add_views() {
    std::vector<bool> clashes(program_.tensors.size(), false);
    for (const TensorId tensor : clashing()) clashes[tensor.index()] = true;
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
      Tensor& tensor = program_.tensors[i];
      if (!has_bytes(tensor) || tensor.view_of || clashes[i]) continue;
      if (const auto view = region_of(TensorId(i))) tensor.view_of = view;
    }
  }

  // The first region, larger ones first, in which the tensor stands.
  std::optional<TensorView> region_of(TensorId tensor) const {
    const auto place = place_of(plan_, tensor);
    if (!place) return std::nullopt;
    for (const OwnScratch& region : regions_) {
      if (region.tensor == tensor) return std::nullopt;  // it is one itself
      const std::uint64_t begin = place_of(plan_, region.tensor)->value();
      const Bytes bytes = program_.tensors[tensor.index()].bytes;
      if (!is_inside(place->value(), bytes, begin, program_.tensors[region.tensor.index()].bytes)) {
        continue;
      }
      return TensorView{region.tensor, Bytes(place->value() - begin)};
    }
    return std::nullopt;
  }

  // In order of birth; of two that stand on one byte at a time, the one that is born later.
  std::vector<TensorId> clashing() const {
    std::vector<TensorId> found;
    std::map<std::uint64_t, Seen> live;       // disjoint, by place
    std::multimap<Step, std::uint64_t> ends;  // their places, by when they go
    for (const Seen& it : seen()) {
      for (; !ends.empty() && ends.begin()->first <= it.life.lower; ends.erase(ends.begin())) {
        live.erase(ends.begin()->second);
      }
      const auto next = live.lower_bound(it.place);
      const bool meets_next = next != live.end() && next->first < it.end;
      const bool meets_last = next != live.begin() && std::prev(next)->second.end > it.place;
      if (meets_next || meets_last) {
        found.push_back(it.tensor);
      } else {
        live.emplace(it.place, it);
        ends.emplace(it.life.upper, it.place);
      }
    }
    return found;
  }

  std::vector<Seen> seen() const {
    constexpr Step kNever = UINT64_MAX;
    std::vector<Step> born(program_.tensors.size(), kNever);
    for (std::size_t i = 0; i < program_.phases.size(); ++i) {
      for (const TensorAccess& access : program_.phases[i].accesses) {
        Step& step = born[access.tensor.index()];
        if (access.kind == Kind::Write && step == kNever) step = i + (is_compiled_[i] ? 1 : 0);
      }
    }
    const auto last = last_touches(program_);
    std::vector<Step> end(program_.tensors.size());
    for (std::size_t i = 0; i < end.size(); ++i) end[i] = last[i] + 1;
    for (const TensorId input : program_.inputs) born[input.index()] = 0;
    for (const TensorId output : program_.outputs) {
      end[output.index()] = program_.phases.size() + 1;
    }
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
      const auto place = place_of(plan_, TensorId(i));
      const Tensor& tensor = program_.tensors[i];
      const bool is_known = place && !is_scratch_[i] && has_bytes(tensor) && !tensor.view_of;
      if (!is_known || born[i] >= end[i]) continue;
      const auto stop = checked_add(Bytes(place->value()), tensor.bytes);
      if (!stop) continue;
      seen.push_back({{born[i], end[i]}, place->value(), stop->count(), TensorId(i)});
    }
    std::ranges::stable_sort(seen, {}, [](const Seen& it) { return it.life.lower; });
    return seen;
  }

  Program program_;
  const OfflinePlan& plan_;
  std::vector<bool> is_scratch_;   // by TensorId
  std::vector<bool> is_compiled_;  // by phase: it takes scratch that the plan places
  std::vector<OwnScratch> regions_;
};

}  // namespace

std::vector<OwnScratch> own_scratch(const Program& program) {
  std::vector<bool> is_written(program.tensors.size(), false);
  for (const TensorId input : program.inputs) is_written[input.index()] = true;
  for (const Phase& phase : program.phases) {
    for (const TensorAccess& access : phase.accesses) {
      if (access.kind == Kind::Write) is_written[access.tensor.index()] = true;
    }
  }
  std::vector<OwnScratch> scratch;
  for (std::size_t i = 0; i < program.phases.size(); ++i) {
    for (const TensorAccess& access : program.phases[i].accesses) {
      const std::size_t index = access.tensor.index();
      if (is_written[index] || !has_bytes(program.tensors[index])) continue;
      is_written[index] = true;  // and is told once
      scratch.push_back({access.tensor, i});
    }
  }
  return scratch;
}

WithScratch with_own_scratch(Program program, const OfflinePlan& plan) {
  return Regions(std::move(program), plan).make();
}

}  // namespace berth

#include "berth/pipeline/unpermitted.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace berth {
namespace {

// Which bytes of which other buffer the plan, or the input, says that a buffer is.
struct Standing {
  std::string base;
  std::uint64_t offset = 0;

  friend bool operator==(const Standing&, const Standing&) = default;
};

std::map<std::string, Standing> views_of(const Plan& plan) {
  std::map<std::string, Standing> views;
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (!buffer.view_of) continue;
    const PlannedBuffer& base = plan.buffers[*buffer.view_of];
    views[buffer.name] = {base.name, buffer.offset.value() - base.offset.value()};
  }
  return views;
}

// By guest and kind. A value has at most one permission of a kind.
using Permitted = std::map<std::pair<std::string, SharePermission::Kind>, std::set<std::string>>;

std::string standing_text(const std::string& host, std::uint64_t offset) {
  return fmt::format("{} from byte {} on", host, offset);
}

Permitted permitted_by(std::span<const NamedPermission> permissions) {
  Permitted permitted;
  for (const NamedPermission& permission : permissions) {
    permitted[{permission.guest, permission.kind}].insert(
        standing_text(permission.host, permission.offset.count()));
  }
  return permitted;
}

// What a buffer takes over bytes of in the step in which it is joined from them.
const PlannedBuffer* find_just_joined(const Plan& plan, const PlannedBuffer& taker,
                                      const std::map<std::string, Standing>& input_views,
                                      const std::map<std::string, Step>& births) {
  constexpr int kDeepest = 64;  // parts of parts
  const PlannedBuffer* part = &plan.buffers[*taker.reuses];
  for (int depth = 0; part->view_of && depth < kDeepest; ++depth) {
    const PlannedBuffer& whole = plan.buffers[*part->view_of];
    const auto birth = births.find(whole.name);
    const bool is_joined = !input_views.contains(part->name);
    if (is_joined && birth != births.end() && birth->second == taker.life.lower) return &whole;
    part = &whole;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> find_unpermitted(const Plan& plan, const Plan& input,
                                            std::span<const NamedPermission> permissions) {
  const auto views = views_of(plan);
  const auto input_views = views_of(input);
  const auto permitted = permitted_by(permissions);
  std::map<std::string, Step> births;
  for (const PlannedBuffer& row : input.buffers) births.emplace(row.name, row.life.lower);
  const auto permits = [&](const std::string& guest, SharePermission::Kind kind,
                           const std::string& host, std::uint64_t offset) {
    const auto found = permitted.find({guest, kind});
    return found != permitted.end() && found->second.contains(standing_text(host, offset));
  };
  for (const PlannedBuffer& buffer : plan.buffers) {
    const auto view = views.find(buffer.name);
    const auto input_view = input_views.find(buffer.name);
    if (view != views.end() && input_view != input_views.end() &&
        view->second == input_view->second) {
      continue;
    }
    if (input_view != input_views.end()) {
      return fmt::format("buffer {} is bytes of {} in the input, but not in the plan", buffer.name,
                         standing_text(input_view->second.base, input_view->second.offset));
    }
    if (view != views.end() && !permits(buffer.name, SharePermission::Kind::PartOf,
                                        view->second.base, view->second.offset)) {
      return fmt::format("buffer {} is bytes of {} in the plan, which the input does not permit",
                         buffer.name, standing_text(view->second.base, view->second.offset));
    }
    if (!buffer.reuses) continue;
    const std::string& host = plan.buffers[*buffer.reuses].name;
    if (permits(buffer.name, SharePermission::Kind::TakesOver, host, 0)) {
      const PlannedBuffer* joined = find_just_joined(plan, buffer, input_views, births);
      if (joined == nullptr) continue;
      return fmt::format("buffer {} takes over bytes of {} in the plan, in the step that makes it",
                         buffer.name, joined->name);
    }
    return fmt::format(
        "buffer {} takes over the bytes of {} in the plan, which the input does not "
        "permit",
        buffer.name, host);
  }
  return std::nullopt;
}

}  // namespace berth

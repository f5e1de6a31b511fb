#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "berth/formats/schedule.h"
#include "berth/pipeline/plan_file.h"
#include "tests/support/schedules.h"

// Cases are planned the whole way, from a file's text to a checked plan.
namespace berth::test {

inline Result<PlanAnswer> answer(const std::string& text, const PlanOptions& options = {}) {
  return plan_file({"case", text}, options);
}

inline Plan planned(const std::string& text, const PlanOptions& options = {}) {
  auto found = answer(text, options);
  if (!found) throw std::runtime_error(to_string(found.error()));
  if (const auto* no = std::get_if<DoesNotFit>(&*found)) throw std::runtime_error(no->report);
  return std::get<PlannedFile>(*std::move(found)).plan;
}

inline Plan planned(const Schedule& schedule, const PlanOptions& options = {}) {
  return planned(write_schedule(schedule), options);
}

// Why it does not fit; empty if it does.
inline std::string shortfall(const std::string& text, const PlanOptions& options) {
  const auto found = answer(text, options).value();
  const auto* no = std::get_if<DoesNotFit>(&found);
  return no == nullptr ? "" : no->report;
}

inline std::string refusal(const std::string& text) {
  const auto found = answer(text);
  return found ? "" : to_string(found.error());
}

// Rows "id,lower,upper,size".
inline std::string table(const std::string& rows) {
  return "id,lower,upper,size\n" + rows;
}

inline std::uint64_t arena_bytes(const Plan& plan) {
  return plan.arenas.at(0).figures.peak.count();
}

inline const PlannedBuffer& buffer_named(const Plan& plan, const std::string& name) {
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.name == name) return buffer;
  }
  throw std::runtime_error("no buffer " + name);
}

inline LiveRange life(const Plan& plan, const std::string& name) {
  return buffer_named(plan, name).life;
}

inline std::uint64_t offset(const Plan& plan, const std::string& name) {
  return buffer_named(plan, name).offset.value();
}

inline bool share_a_byte(const Plan& plan, const std::string& a, const std::string& b) {
  const auto bytes = [&](const std::string& name) {
    const PlannedBuffer& buffer = buffer_named(plan, name);
    return ByteRange{buffer.offset.value(), buffer.offset.value() + buffer.bytes.count()};
  };
  return bytes(a).overlaps(bytes(b));
}

inline bool is_planned(const Plan& plan, const std::string& name) {
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.name == name) return true;
  }
  return false;
}

}  // namespace berth::test

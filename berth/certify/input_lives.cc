#include "berth/certify/input_lives.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "berth/certify/held.h"

// Parts a and b that stand in their places in j from their birth on:
//
//   row a   a a a .         plan  a a a .
//   row b   . b b .               . b b .
//   row j   . . j j               [ j j j    j lives from a's first step; there, in a gap, it holds
//                                            the bytes of a alone

namespace berth {
namespace {

std::string text_of(const LiveRange& life) {
  return fmt::format("[{}, {})", life.lower, life.upper);
}

std::string text_of(const std::vector<Gap>& gaps) {
  if (gaps.empty()) return "no gaps";
  constexpr std::size_t kTold = 4;
  std::string text = gaps.size() == 1 ? "gap" : "gaps";
  for (std::size_t i = 0; i < gaps.size() && i < kTold; ++i) {
    text += fmt::format(" {}-{}", gaps[i].steps.lower, gaps[i].steps.upper);
    if (gaps[i].kept) text += fmt::format("@{}:{}", gaps[i].kept->lower, gaps[i].kept->upper);
  }
  return gaps.size() > kTold ? text + " ..." : text;
}

// By buffer: whether the plan alone says that another is bytes of it, or of a view of it.
std::vector<bool> wholes_of(const Plan& plan, const Plan& rows,
                            const std::vector<std::size_t>& row_of) {
  std::vector<bool> is_whole(plan.buffers.size(), false);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (!plan.buffers[i].view_of || rows.buffers[row_of[i]].view_of) continue;
    for (auto at = plan.buffers[i].view_of; at && !is_whole[*at]; at = plan.buffers[*at].view_of) {
      is_whole[*at] = true;
    }
  }
  return is_whole;
}

// What its row holds, at the bytes where the plan has it.
std::vector<Held> needed_by(const PlannedBuffer& buffer, const PlannedBuffer& row) {
  PlannedBuffer there = row;
  there.offset = buffer.offset;
  return held_by(there);
}

// Steps over which the lowest and the highest byte of what is held stay the same. Stretches that
// touch and hold the same are one.
std::vector<Held> hull(const std::vector<Held>& held) {
  struct Edge {
    Step step;
    bool starts;
    ByteRange bytes;
  };
  std::vector<Edge> edges;
  for (const Held& it : held) {
    edges.push_back({it.steps.lower, true, it.bytes});
    edges.push_back({it.steps.upper, false, it.bytes});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tuple(a.step, a.starts, a.bytes.lower, a.bytes.upper) <
           std::tuple(b.step, b.starts, b.bytes.lower, b.bytes.upper);
  });
  std::multiset<std::uint64_t> lowers, uppers;
  std::vector<Held> stretches;
  for (std::size_t i = 0; i < edges.size();) {
    const Step step = edges[i].step;
    for (; i < edges.size() && edges[i].step == step; ++i) {
      if (edges[i].starts) {
        lowers.insert(edges[i].bytes.lower);
        uppers.insert(edges[i].bytes.upper);
      } else {
        lowers.erase(lowers.find(edges[i].bytes.lower));
        uppers.erase(uppers.find(edges[i].bytes.upper));
      }
    }
    if (lowers.empty()) continue;
    const ByteRange bytes = {*lowers.begin(), *uppers.rbegin()};
    const LiveRange steps = {step, edges[i].step};  // something is held, so an edge follows
    if (!stretches.empty() && stretches.back().steps.upper == steps.lower &&
        stretches.back().bytes == bytes) {
      stretches.back().steps.upper = steps.upper;
    } else {
      stretches.push_back({steps, bytes});
    }
  }
  return stretches;
}

bool same_stretches(const std::vector<Held>& a, const std::vector<Held>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Held& one, const Held& two) {
    return one.steps == two.steps && one.bytes == two.bytes;
  });
}

std::optional<std::string> find_otherwise(const PlannedBuffer& buffer, const PlannedBuffer& row) {
  if (buffer.life != row.life) {
    return fmt::format("buffer {} is live {} in the input, {}{} in the plan", buffer.name,
                       text_of(row.life), buffer.life.covers(row.life) ? "" : "only ",
                       text_of(buffer.life));
  }
  if (buffer.gaps == row.gaps) return std::nullopt;
  return fmt::format("buffer {} has {} in the input, {} in the plan", buffer.name,
                     text_of(row.gaps), text_of(buffer.gaps));
}

}  // namespace

std::optional<std::string> find_other_life(const Plan& plan, const Plan& rows,
                                           const std::vector<std::size_t>& row_of,
                                           const std::vector<std::size_t>& storage) {
  const auto is_whole = wholes_of(plan, rows, row_of);
  std::vector<std::vector<Held>> needed(plan.buffers.size());  // by root that is a whole
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    const PlannedBuffer& row = rows.buffers[row_of[i]];
    if (!is_whole[i]) {
      if (auto fault = find_otherwise(buffer, row)) return fault;
    }
    const auto its = needed_by(buffer, row);
    if (is_whole[storage[i]]) {
      auto& all = needed[storage[i]];
      all.insert(all.end(), its.begin(), its.end());
    }
    if (!is_whole[i] || storage[i] == i) continue;
    const auto held = held_by(buffer);
    const bool is_covered =
        std::all_of(its.begin(), its.end(), [&](const Held& it) { return covers(held, it); });
    if (!is_covered) return find_otherwise(buffer, row);
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    if (!is_whole[i] || storage[i] != i || buffer.bytes == Bytes(0)) continue;
    if (same_stretches(hull(held_by(buffer)), hull(needed[i]))) continue;
    return fmt::format(
        "buffer {} is live {} with {} in the plan, which is not what it and its parts hold",
        buffer.name, text_of(buffer.life), text_of(buffer.gaps));
  }
  return std::nullopt;
}

}  // namespace berth

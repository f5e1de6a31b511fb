#include "berth/ir/op_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace berth {
namespace {

struct SourceCount {
  std::size_t least;
  std::size_t most;
};

constexpr std::size_t kAny = SIZE_MAX;

// 2^64 bytes have 2^67 bits.
__extension__ using BitCount = unsigned __int128;

SourceCount source_count(OpKind kind) {
  switch (kind) {
    case OpKind::Buffer:
    case OpKind::Param:
    case OpKind::Alloc:
      return {0, 0};
    case OpKind::Shrink:
    case OpKind::Bitcast:
    case OpKind::End:
      return {1, 1};
    case OpKind::After:
    case OpKind::Call:
      return {1, kAny};
    case OpKind::BackEdge:
      return {2, 2};
    case OpKind::Kernel:
    case OpKind::Store:
    case OpKind::Linear:
      return {0, kAny};
  }
  __builtin_unreachable();
}

enum class Role { Storage, Body, Repeated, Entry, Anything };

Role source_role(OpKind kind, std::size_t position) {
  switch (kind) {
    case OpKind::Shrink:
    case OpKind::Bitcast:
      return Role::Storage;
    case OpKind::After:
      return position == 0 ? Role::Storage : Role::Anything;
    case OpKind::Call:
      return position == 0 ? Role::Body : Role::Storage;
    case OpKind::End:
      return Role::Repeated;
    case OpKind::BackEdge:
      return position == 0 ? Role::Repeated : Role::Storage;
    case OpKind::Linear:
      return Role::Entry;
    default:
      return Role::Anything;
  }
}

bool plays(const OpGraph& graph, OpId source, Role role) {
  const OpKind kind = graph[source].kind;
  switch (role) {
    case Role::Storage:
      return graph.view(source).has_value();
    case Role::Body:
      return kind == OpKind::Kernel || kind == OpKind::Store;
    case Role::Repeated:
      return kind == OpKind::Linear || kind == OpKind::Call || kind == OpKind::End ||
             kind == OpKind::BackEdge;
    case Role::Entry:
      return kind == OpKind::Call || kind == OpKind::End || kind == OpKind::BackEdge;
    case Role::Anything:
      return true;
  }
  __builtin_unreachable();
}

std::string_view role_text(Role role) {
  switch (role) {
    case Role::Storage:
      return "a buffer, param or alloc, or a view of one";
    case Role::Body:
      return "a kernel or a store";
    case Role::Repeated:
      return "a linear, a call or a loop";
    case Role::Entry:
      return "a call, an end or a backedge";
    case Role::Anything:
      return "a node";
  }
  __builtin_unreachable();
}

std::optional<Error> fault(std::string where, std::string message, std::string hint = {}) {
  return Error{Error::Kind::Input, std::move(where), std::move(message), std::move(hint)};
}

std::optional<Error> find_access_fault(const Op& op) {
  const std::string& letters = std::get<CallAccess>(op.attributes).letters;
  if (letters.empty()) return std::nullopt;
  if (letters.size() != op.sources.size() - 1) {
    return fault("access", fmt::format("found {} letters, expected one for each of {} arguments",
                                       letters.size(), op.sources.size() - 1));
  }
  const auto unknown = letters.find_first_not_of("rwb");
  if (unknown == std::string::npos) return std::nullopt;
  return fault("access", fmt::format("found letter '{}', expected r, w or b", letters[unknown]));
}

std::string storage_text(const OpGraph& graph, OpId id) {
  const Storage& storage = graph.storage(id);
  return storage.name.empty() ? fmt::format("slot {}", storage.slot) : storage.name;
}

Result<std::optional<View>> storage_view(OpId id, const Storage& storage) {
  const auto bytes = storage.dtype.bytes_of(storage.elements);
  const auto end = bytes ? checked_add(*bytes, Bytes(storage.skew)) : std::nullopt;
  if (!end || !checked_round_up(*end, *Alignment::of(256))) {
    return input_error("size", fmt::format("{} elements of {} are more bytes than 64 bits hold",
                                           storage.elements, storage.dtype.name()));
  }
  return View{id, {0, bytes->count()}, storage.dtype, storage.elements};
}

// Elements from a bit of the base on; empty where there are none.
View elements_at(OpId base, BitCount first, Dtype dtype, std::uint64_t elements) {
  const auto byte = static_cast<std::uint64_t>(first / 8);
  if (elements == 0) return View{base, {byte, byte}, dtype, 0};
  const BitCount end = first + BitCount(elements) * dtype.bits();
  return View{base,
              {byte, static_cast<std::uint64_t>((end + 7) / 8)},
              dtype,
              elements,
              static_cast<std::uint8_t>(first % 8)};
}

// Elements of fewer than 8 bits: the whole bytes around them, and where in the first they begin.
Result<std::optional<View>> shrink_view(const OpGraph& graph, const View& viewed,
                                        const ElementRange& range) {
  const std::string what = storage_text(graph, viewed.base);
  if (range.lower > range.upper) {
    return input_error("begin", fmt::format("found begin {} past end {} in a view of {}",
                                            range.lower, range.upper, what));
  }
  if (range.upper > viewed.elements) {
    return input_error(
        "end",
        fmt::format("view [{}, {}) of {} ends past it: end {} > {} elements of {}", range.lower,
                    range.upper, what, range.upper, viewed.elements, viewed.dtype.name()),
        "a view must lie inside what it views");
  }
  const BitCount first =
      BitCount(viewed.bytes.lower) * 8 + viewed.bit + BitCount(range.lower) * viewed.dtype.bits();
  return elements_at(viewed.base, first, viewed.dtype, range.upper - range.lower);
}

// A type of whole bytes views the whole bytes around what it views.
Result<std::optional<View>> bitcast_view(const View& viewed, Dtype dtype) {
  const std::uint64_t bytes = viewed.bytes.upper - viewed.bytes.lower;
  const std::uint64_t element = dtype.bits() / 8;
  if (bytes % element != 0) {
    return input_error("dtype", fmt::format("{} bytes are no whole number of {} elements of {} "
                                            "bytes",
                                            bytes, dtype.name(), element));
  }
  return View{viewed.base, viewed.bytes, dtype, bytes / element};
}

// As many packed elements as the bytes hold from where the first one begins (as far as 64 bits
// count them).
Result<std::optional<View>> packed_view(const View& viewed, Dtype dtype) {
  if (viewed.bit % dtype.bits() != 0) {
    return input_error("dtype",
                       fmt::format("{} begins at multiples of {} bits; what it views begins at bit "
                                   "{} of a byte",
                                   dtype.name(), dtype.bits(), viewed.bit));
  }
  const BitCount bits = BitCount(viewed.bytes.upper - viewed.bytes.lower) * 8;
  const BitCount elements = (bits - viewed.bit) / dtype.bits();
  return View{viewed.base, viewed.bytes, dtype,
              static_cast<std::uint64_t>(std::min(elements, BitCount(UINT64_MAX))), viewed.bit};
}

}  // namespace

std::optional<Error> find_source_fault(const OpGraph& graph, const Op& op) {
  const auto [least, most] = source_count(op.kind);
  if (op.sources.size() < least || op.sources.size() > most) {
    return fault("src", fmt::format("found {} sources, expected {}{}", op.sources.size(),
                                    most == kAny ? "at least " : "", least));
  }
  for (std::size_t i = 0; i < op.sources.size(); ++i) {
    const OpId source = op.sources[i];
    const auto where = fmt::format("src[{}]", i);
    if (source.index() >= graph.size()) {
      return fault(where, fmt::format("found node {}, expected one of the {} before it",
                                      source.index(), graph.size()));
    }
    const Role role = source_role(op.kind, i);
    if (!plays(graph, source, role)) {
      return fault(where, fmt::format("found a {}, expected {}", to_string(graph[source].kind),
                                      role_text(role)));
    }
  }
  return op.kind == OpKind::Call ? find_access_fault(op) : std::nullopt;
}

Result<std::optional<View>> view_of_op(const OpGraph& graph, OpId id, const Op& op) {
  switch (op.kind) {
    case OpKind::Buffer:
    case OpKind::Param:
    case OpKind::Alloc:
      return storage_view(id, std::get<Storage>(op.attributes));
    case OpKind::Shrink:
      return shrink_view(graph, *graph.view(op.sources[0]), std::get<ElementRange>(op.attributes));
    case OpKind::Bitcast: {
      const Dtype dtype = std::get<Dtype>(op.attributes);
      const View& viewed = *graph.view(op.sources[0]);
      return dtype.bits() < 8 ? packed_view(viewed, dtype) : bitcast_view(viewed, dtype);
    }
    case OpKind::After:
      return graph.view(op.sources[0]);
    default:
      return std::optional<View>();
  }
}

}  // namespace berth

#include "berth/ir/op_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "berth/base/seeded_hash.h"
#include "berth/ir/op_rules.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 12> kKindNames = {"buffer",  "param",  "alloc",  "shrink",
                                                         "bitcast", "after",  "kernel", "store",
                                                         "call",    "linear", "end",    "backedge"};

struct AddAttributes {
  HashState& hash;

  void operator()(std::monostate) const {}
  void operator()(const Storage& storage) const {
    hash.add(storage.slot);
    hash.add(storage.dtype.name());
    hash.add(storage.elements);
    hash.add(storage.device);
    hash.add(storage.skew);
    hash.add(storage.name);
  }
  void operator()(const ElementRange& range) const {
    hash.add(range.lower);
    hash.add(range.upper);
  }
  void operator()(Dtype dtype) const { hash.add(dtype.name()); }
  void operator()(const BodyName& body) const { hash.add(body.name); }
  void operator()(const CallAccess& access) const { hash.add(access.letters); }
  void operator()(const LoopCount& loop) const { hash.add(loop.count.value_or(~std::uint64_t{0})); }
};

std::size_t hash_of(const Op& op) {
  HashState hash;
  hash.add(static_cast<std::uint64_t>(op.kind));
  for (const OpId source : op.sources) hash.add(source.index());
  std::visit(AddAttributes{hash}, op.attributes);
  return hash.value();
}

}  // namespace

std::string_view to_string(OpKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::optional<OpKind> op_kind_of(std::string_view name) {
  const auto found = std::ranges::find(kKindNames, name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<OpKind>(found - kKindNames.begin());
}

Op buffer_op(Storage storage) {
  return {OpKind::Buffer, {}, std::move(storage)};
}
Op param_op(Storage storage) {
  return {OpKind::Param, {}, std::move(storage)};
}
Op alloc_op(Storage storage) {
  return {OpKind::Alloc, {}, std::move(storage)};
}

Op shrink_op(OpId viewed, ElementRange elements) {
  return {OpKind::Shrink, {viewed}, elements};
}

Op bitcast_op(OpId viewed, Dtype dtype) {
  return {OpKind::Bitcast, {viewed}, dtype};
}

Op after_op(OpId viewed, std::span<const OpId> ordered_after) {
  Op op{OpKind::After, {viewed}, std::monostate()};
  op.sources.insert(op.sources.end(), ordered_after.begin(), ordered_after.end());
  return op;
}

Op kernel_op(std::string name, std::vector<OpId> sources) {
  return {OpKind::Kernel, std::move(sources), BodyName{std::move(name)}};
}

Op store_op(std::string name, std::vector<OpId> sources) {
  return {OpKind::Store, std::move(sources), BodyName{std::move(name)}};
}

Op call_op(OpId body, std::span<const OpId> arguments, std::string access) {
  Op op{OpKind::Call, {body}, CallAccess{std::move(access)}};
  op.sources.insert(op.sources.end(), arguments.begin(), arguments.end());
  return op;
}

Op linear_op(std::vector<OpId> entries) {
  return {OpKind::Linear, std::move(entries), std::monostate()};
}

Op end_op(OpId repeated, std::uint64_t count) {
  return {OpKind::End, {repeated}, LoopCount{count}};
}

Op back_edge_op(OpId repeated, OpId flag, std::optional<std::uint64_t> bound) {
  return {OpKind::BackEdge, {repeated, flag}, LoopCount{bound}};
}

Result<OpId> OpGraph::add(Op op) {
  if (auto fault = find_source_fault(*this, op)) return tl::unexpected(std::move(*fault));

  const std::size_t hash = hash_of(op);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate) {
    if ((*this)[candidate->second] == op) return candidate->second;
  }

  auto view = view_of_op(*this, OpId(ops_.size()), op);
  if (!view) return tl::unexpected(std::move(view.error()));
  if (ops_.size() == UINT32_MAX) {
    return input_error("", "more than 4294967295 different nodes");
  }
  const OpId id(ops_.size());
  ops_.push_back(std::move(op));
  views_.push_back(*view);
  by_hash_.emplace(hash, id);
  return id;
}

std::optional<OpId> OpGraph::storage_base(OpId id) const {
  const auto& named = view(id);
  if (!named) return std::nullopt;
  return named->base;
}

namespace {

bool is_body(const Op& op) {
  return op.kind == OpKind::Kernel || op.kind == OpKind::Store;
}

enum class Bodies { Entered, Left };

std::vector<OpId> walk(const OpGraph& graph, std::span<const OpId> roots, Bodies bodies) {
  std::vector<bool> seen(graph.size());
  std::vector<OpId> finished;
  std::vector<std::pair<OpId, std::size_t>> open;  // a node and its next source
  for (const OpId root : roots) {
    if (!seen[root.index()]) open.emplace_back(root, 0);
    seen[root.index()] = true;
    while (!open.empty()) {
      auto& [id, next] = open.back();
      const bool is_left = bodies == Bodies::Left && is_body(graph[id]);
      if (is_left || next == graph[id].sources.size()) {
        finished.push_back(id);
        open.pop_back();
        continue;
      }
      const OpId source = graph[id].sources[next++];
      if (!seen[source.index()]) open.emplace_back(source, 0);
      seen[source.index()] = true;
    }
  }
  return finished;
}

}  // namespace

std::vector<OpId> reachable(const OpGraph& graph, std::span<const OpId> roots) {
  return walk(graph, roots, Bodies::Entered);
}

std::vector<OpId> reachable_outside_bodies(const OpGraph& graph, std::span<const OpId> roots) {
  return walk(graph, roots, Bodies::Left);
}

namespace {

// Walks the graph outside bodies, sources first, and rebuilds the nodes whose sources changed.
class Substitution {
 public:
  Substitution(OpGraph& graph, std::span<const std::pair<OpId, OpId>> replacements)
      : graph_(graph), image_(graph.size()) {
    for (const auto& [from, to] : replacements) image_[from.index()] = to;
  }

  Result<OpId> of(OpId root) {
    open(root);
    while (!open_.empty()) {
      auto& [id, next] = open_.back();
      const std::vector<OpId>& sources = graph_[id].sources;
      if (next < sources.size()) {
        open(sources[next++]);
        continue;
      }
      auto rebuilt = rebuild(id);
      if (!rebuilt) return rebuilt;
      image_[id.index()] = *rebuilt;
      open_.pop_back();
    }
    return *image_[root.index()];
  }

 private:
  // What a body mentions is its own business: it is never entered, nor where a view comes after it.
  void open(OpId id) {
    if (image_[id.index()]) return;
    if (is_body(graph_[id])) {
      image_[id.index()] = id;
    } else {
      open_.emplace_back(id, 0);
    }
  }

  Result<OpId> rebuild(OpId id) {
    Op op = graph_[id];
    bool changed = false;
    for (OpId& source : op.sources) {
      const OpId image = *image_[source.index()];
      changed = changed || image != source;
      source = image;
    }
    return changed ? graph_.add(std::move(op)) : Result<OpId>(id);
  }

  OpGraph& graph_;
  std::vector<std::optional<OpId>> image_;  // by old node
  std::vector<std::pair<OpId, std::size_t>> open_;
};

}  // namespace

Result<std::vector<OpId>> substitute(OpGraph& graph, std::span<const OpId> roots,
                                     std::span<const std::pair<OpId, OpId>> replacements) {
  Substitution substitution(graph, replacements);
  std::vector<OpId> images;
  for (const OpId root : roots) {
    const auto image = substitution.of(root);
    if (!image) return tl::unexpected(image.error());
    images.push_back(*image);
  }
  return images;
}

}  // namespace berth

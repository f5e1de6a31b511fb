#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/dtype.h"
#include "berth/ir/model_graph.h"
#include "berth/model/fact.h"

namespace berth {

// What a person says of sizes that a model leaves open.

// A symbol's values, from the least to the most, both included.
struct SizeRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  bool is_open() const { return least != most; }
};

// A value's shape, and its element type where the model does not say it either.
struct GivenShape {
  std::vector<std::uint64_t> dims;
  std::optional<Dtype> element;
};

struct Bindings {
  // --bind: sizes by their names in the model, and inputs of one number by theirs.
  std::vector<std::pair<std::string, SizeRange>> symbols;
  std::vector<std::pair<std::string, GivenShape>> shapes;  // --shape, by name of the value

  const SizeRange* symbol(const std::string& name) const;
  const GivenShape* shape(const std::string& name) const;
  bool has_range() const;
};

// Of each range: an end of it, or all of it at once, which leaves the size open.
enum class End { Least, Most, Open };

// The size that a symbol has at this end: bound, or computed from parts that are ("past + seq").
// Nothing where that is open.
std::optional<std::uint64_t> size_at(const Bindings& bindings, const std::string& symbol, End end);

// What the model and the person say of a value together.
Fact stated_fact(const ModelValue& value, const Bindings& bindings, End end);

// Refuses names that the model does not have.
std::optional<Error> find_unknown_name(const ModelGraph& graph, const Bindings& bindings);

}  // namespace berth

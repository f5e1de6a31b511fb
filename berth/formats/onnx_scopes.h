#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/base/id.h"
#include "berth/base/seeded_hash.h"

namespace berth::onnx {

// A name, and who gave the value to it.
struct NamedValue {
  TensorId value;
  std::string by;  // "node 3 (Add)", "an initializer"
};

// Which value a name means. A body sees the names of the blocks around it, as far as they have a
// value already, and may give them to values of its own; a function sees its own names alone.
class Scopes {
 public:
  void open(bool isolated) { scopes_.push_back({isolated, {}}); }
  void close() { scopes_.pop_back(); }

  // Who bears the name in the innermost scope already; nothing if it was free, and now is taken.
  std::optional<NamedValue> define(const std::string& name, NamedValue value) {
    const auto [at, is_new] = scopes_.back().names.emplace(name, std::move(value));
    return is_new ? std::nullopt : std::optional(at->second);
  }

  const NamedValue* find(const std::string& name) const {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      const auto at = scopes_[i].names.find(name);
      if (at != scopes_[i].names.end()) return &at->second;
      if (scopes_[i].isolated) break;
    }
    return nullptr;
  }

  const NamedValue* find_inside(const std::string& name) const {
    const auto at = scopes_.back().names.find(name);
    return at == scopes_.back().names.end() ? nullptr : &at->second;
  }

 private:
  struct Scope {
    bool isolated = false;
    std::unordered_map<std::string, NamedValue, SeededHash> names;
  };
  std::vector<Scope> scopes_;
};

}  // namespace berth::onnx

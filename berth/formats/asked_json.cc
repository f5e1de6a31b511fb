#include "berth/formats/asked_json.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "berth/formats/gaps_json.h"

namespace berth {
namespace {

// Nobody types more; each name is looked for among them.
constexpr std::size_t kMostOfAKind = 4096;

// Each flag by its name in the file.
struct Flag {
  std::string_view name;
  bool Asked::*flag;
};
constexpr Flag kFlags[] = {{"views", &Asked::views},
                           {"in_place", &Asked::in_place},
                           {"offline_plan", &Asked::offline_plan},
                           {"reorder", &Asked::reorder},
                           {"planner_off", &Asked::planner_off}};

// Fields of one object, in the order in which they are added.
class Fields {
 public:
  void add(std::string_view key, const std::string& value) {
    text_ += fmt::format("{}\"{}\": {}", text_.empty() ? "" : ", ", key, value);
  }
  template <typename Items, typename Text>
  void add_all(std::string_view key, const Items& items, const Text& text_of) {
    if (items.empty()) return;
    std::string list;
    for (const auto& item : items) list += (list.empty() ? "" : ", ") + text_of(item);
    add(key, "[" + list + "]");
  }
  std::string object() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string size_text(const AskedSize& size) {
  return fmt::format(R"({{"name": {}, "least": {}, "most": {}}})", json_quoted(size.name),
                     size.least, size.most);
}

std::string shape_text(const AskedShape& shape) {
  const std::string element =
      shape.element ? ", \"element\": " + json_quoted(shape.element->name()) : "";
  return fmt::format(R"({{"name": {}, "dims": [{}]{}}})", json_quoted(shape.name),
                     fmt::join(shape.dims, ", "), element);
}

// Objects of a name and a number of bytes, such as {"step": "conv", "bytes": 64}.
using Sized = std::vector<std::pair<std::string, Bytes>>;

auto sized_text(std::string_view key) {
  return [key](const std::pair<std::string, Bytes>& it) {
    return fmt::format(R"({{"{}": {}, "bytes": {}}})", key, json_quoted(it.first),
                       it.second.count());
  };
}

class Reader {
 public:
  Result<Asked> read(const JsonValue& value, const std::string& path) {
    JsonFields fields(value, path);
    if (fields.optional_value("alignment")) asked_.alignment = read_alignment(fields, "alignment");
    asked_.capacity = read_sized(fields, "capacity", "device");
    asked_.reserve = Bytes(fields.optional_integer("reserve").value_or(0));
    asked_.scratch = read_sized(fields, "scratch", "step");
    read_hold(fields);
    each(fields, "bind", [&](JsonFields& it) {
      AskedSize size{it.string("name"), it.integer("least"), it.integer("most")};
      if (size.most < size.least) it.refuse("most", "is less than least");
      asked_.sizes.push_back(std::move(size));
    });
    each(fields, "shape", [&](JsonFields& it) { asked_.shapes.push_back(read_shape(it)); });
    each(fields, "state", [&](JsonFields& it) {
      std::string input = it.string("in");
      asked_.states.emplace_back(std::move(input), it.string("out"));
    });
    for (const Flag& flag : kFlags) {
      asked_.*flag.flag = fields.optional_boolean(flag.name).value_or(false);
    }
    if (auto error = fields.finish_among_others()) return tl::unexpected(*std::move(error));
    return std::move(asked_);
  }

 private:
  template <typename ReadOne>
  static void each(JsonFields& parent, std::string_view key, const ReadOne& read_one) {
    const auto items = parent.optional_array(key).value_or(std::vector<JsonValue>());
    if (items.size() > kMostOfAKind) {
      parent.refuse(
          key, fmt::format("found {} of them, expected {} at most", items.size(), kMostOfAKind));
    }
    for (std::size_t i = 0; i < items.size() && !parent.failed(); ++i) {
      JsonFields fields(items[i], fmt::format("{}[{}]", parent.path_of(key), i));
      read_one(fields);
      if (auto error = fields.finish_among_others()) parent.refuse(*std::move(error));
    }
  }

  static Sized read_sized(JsonFields& parent, std::string_view key, std::string_view of) {
    Sized sized;
    each(parent, key, [&](JsonFields& it) {
      std::string name = it.string(of);
      sized.emplace_back(std::move(name), Bytes(it.integer("bytes")));
    });
    return sized;
  }

  static AskedShape read_shape(JsonFields& it) {
    AskedShape shape{it.string("name"), it.addresses("dims"), std::nullopt};
    const auto element = it.optional_string("element");
    if (!element) return shape;
    shape.element = Dtype::of(*element);
    if (!shape.element) {
      it.refuse("element", fmt::format("found {}, expected one of: {}", json_quoted(*element),
                                       Dtype::names()));
    }
    return shape;
  }

  void read_hold(JsonFields& parent) {
    const auto items = parent.optional_array("hold").value_or(std::vector<JsonValue>());
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind() != JsonValue::Kind::String) {
        parent.refuse(json_error(items[i], fmt::format("{}[{}]", parent.path_of("hold"), i),
                                 fmt::format("found {}, expected a string", items[i].text())));
        return;
      }
      asked_.hold.emplace_back(items[i].string());
    }
  }

  Asked asked_;
};

}  // namespace

std::string asked_json(const Asked& asked) {
  Fields fields;
  if (asked.alignment) fields.add("alignment", std::to_string(asked.alignment->value()));
  fields.add_all("capacity", asked.capacity, sized_text("device"));
  if (asked.reserve > Bytes(0)) fields.add("reserve", std::to_string(asked.reserve.count()));
  fields.add_all("scratch", asked.scratch, sized_text("step"));
  fields.add_all("hold", asked.hold, [](const std::string& name) { return json_quoted(name); });
  fields.add_all("bind", asked.sizes, size_text);
  fields.add_all("shape", asked.shapes, shape_text);
  fields.add_all("state", asked.states, [](const std::pair<std::string, std::string>& state) {
    return fmt::format(R"({{"in": {}, "out": {}}})", json_quoted(state.first),
                       json_quoted(state.second));
  });
  for (const Flag& flag : kFlags) {
    if (asked.*flag.flag) fields.add(flag.name, "true");
  }
  return fields.object();
}

Result<Asked> read_asked(const JsonValue& value, const std::string& path) {
  return Reader().read(value, path);
}

}  // namespace berth

#include "berth/formats/deployment_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "berth/formats/program_json.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;

constexpr std::string_view kFormat = "berth.deployment/1";

class Reader {
 public:
  Reader(const JsonDocument& document, const LoadFile& load) : document_(document), load_(load) {}

  Result<Deployment> read() {
    const JsonValue root = document_.root();
    if (auto fault = find_format_fault(root, kFormat)) return tl::unexpected(*std::move(fault));
    JsonFields fields(root, "");
    fields.string("format");
    deployment_.name = fields.string("name");
    const auto programs = fields.optional_array("programs");
    const auto classes = fields.optional_array("classes");
    const auto reserve = fields.optional_array("reserve");
    if (programs.has_value() == classes.has_value()) {
      fields.refuse(programs ? "classes" : "programs",
                    programs ? "stands beside programs, expected one of the two"
                             : "is missing, expected programs, or reserve and classes");
    }
    if (reserve && !classes) fields.refuse("reserve", "belongs to classes, which are missing");
    if (classes) {
      read_given(fields, reserve.value_or(std::vector<JsonValue>()), *classes);
    }
    for (std::size_t i = 0; programs && i < programs->size() && !fields.failed(); ++i) {
      JsonFields entry((*programs)[i], fmt::format("programs[{}]", i));
      read_program_entry(entry);
      if (auto error = entry.finish()) fields.refuse(*std::move(error));
    }
    if (auto error = fields.finish()) return tl::unexpected(*std::move(error));
    return std::move(deployment_);
  }

 private:
  void read_given(JsonFields& fields, const std::vector<JsonValue>& reserve,
                  const std::vector<JsonValue>& classes) {
    GivenStates given;
    for (std::size_t i = 0; i < reserve.size(); ++i) {
      if (reserve[i].kind() == JsonValue::Kind::Integer) {
        given.reserve.emplace_back(reserve[i].integer());
        continue;
      }
      fields.refuse(json_error(reserve[i], fmt::format("reserve[{}]", i),
                               fmt::format("found {}, expected bytes", reserve[i].text())));
    }
    for (std::size_t i = 0; i < classes.size() && !fields.failed(); ++i) {
      JsonFields entry(classes[i], fmt::format("classes[{}]", i));
      given.classes.push_back(read_class(entry));
      if (auto error = entry.finish()) fields.refuse(*std::move(error));
    }
    deployment_.given = std::move(given);
  }

  static StateClass read_class(JsonFields& fields) {
    StateClass state;
    state.program = fields.string("program");
    state.tensor = fields.string("tensor");
    state.chip = ChipId(fields.optional_integer("chip", UINT32_MAX).value_or(0));
    state.instances = fields.integer("instances");
    state.bytes = Bytes(fields.integer("bytes"));
    state.moved = Bytes(fields.integer("moved"));
    state.host = fields.optional_boolean("host").value_or(false);
    return state;
  }

  void read_program_entry(JsonFields& fields) {
    DeployedProgram deployed;
    deployed.name = fields.string("name");
    deployed.layers = fields.integer("layers");
    const auto carried = fields.optional_array("carried");
    const auto value = fields.optional_value("program");
    if (!value) fields.refuse("program", "is missing, expected a path or a program");
    if (fields.failed()) return;

    auto program = value->kind() == JsonValue::Kind::String
                       ? program_in_file(*value, fields.path_of("program"))
                       : read_program(*value, fields.path_of("program"));
    if (!program) return fields.refuse(program.error());
    deployed.program = *std::move(program);
    if (carried) read_carried(fields, *carried, deployed);
    deployment_.programs.push_back(std::move(deployed));
  }

  Result<Program> program_in_file(const JsonValue& value, const std::string& path) {
    const std::filesystem::path own(document_.file());
    const std::string file = (own.parent_path() / std::string(value.string())).string();
    auto content = load_(file);
    if (!content) {
      return tl::unexpected(json_error(value, path,
                                       fmt::format("{}: {}", file, content.error().message),
                                       "name a file beside the deployment"));
    }
    const auto document = JsonDocument::parse(*std::move(content), file);
    if (!document) return tl::unexpected(document.error());
    return read_program(document->root());
  }

  static void read_carried(JsonFields& fields, const std::vector<JsonValue>& names,
                           DeployedProgram& deployed) {
    const auto& tensors = deployed.program.tensors;
    deployed.carried.emplace();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string path = fmt::format("{}[{}]", fields.path_of("carried"), i);
      const auto found = names[i].kind() == JsonValue::Kind::String
                             ? std::ranges::find(tensors, names[i].string(), &Tensor::name)
                             : tensors.end();
      const bool is_state =
          found != tensors.end() && found->kind == TensorKind::State && !found->view_of;
      if (!is_state) {
        return fields.refuse(json_error(
            names[i], path,
            fmt::format("found {}, expected the name of a state tensor", names[i].text())));
      }
      const TensorId id(found - tensors.begin());
      if (std::ranges::find(*deployed.carried, id) != deployed.carried->end()) {
        return fields.refuse(
            json_error(names[i], path, fmt::format("{} stands twice", names[i].text())));
      }
      deployed.carried->push_back(id);
    }
  }

  const JsonDocument& document_;
  const LoadFile& load_;
  Deployment deployment_;
};

}  // namespace

Result<Deployment> read_deployment(const JsonDocument& document, const LoadFile& load) {
  return Reader(document, load).read();
}

}  // namespace berth

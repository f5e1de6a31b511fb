// Our shapes against those that the ONNX library infers, in a process of its own, since it dies of
// some models.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "berth/formats/file.h"
#include "berth/formats/onnx.h"
#include "berth/formats/write_files.h"
#include "berth/model/infer.h"
#include "tests/model/random_nodes.h"
#include "tests/support/command.h"
#include "tests/testing/published_models.h"
#include "tests/testing/shared_data.h"

namespace berth {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

struct Model {
  std::string path;
  Bindings bindings;
};

struct InferredValue {
  std::string name;
  std::string element;
  Shape shape;
};
// Nothing where the library refused the model, or died of it.
using Inferred = std::optional<std::vector<InferredValue>>;

struct Agreement {
  std::size_t models = 0;   // of which something was compared
  std::size_t skipped = 0;  // that the library refuses
  std::size_t deaths = 0;
  std::size_t shapes = 0;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream split(line);
  for (std::string cell; std::getline(split, cell, '\t');) cells.push_back(cell);
  return cells;
}

Shape shape_of(const std::string& text) {
  Shape shape;
  std::istringstream split(text);
  for (std::string dim; std::getline(split, dim, ',');) {
    shape.push_back(dim == "?" ? Dim() : Dim(std::stoull(dim)));
  }
  return shape;
}

class OnnxOracle : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kPython)) GTEST_SKIP() << "no " << kPython;
    const auto asked = command_.run_program(kPython, {"-c", "import onnx"}, "", {});
    if (asked.status != 0) GTEST_SKIP() << "no python3-onnx";
  }

  // The library begins anew behind a model that it dies of.
  std::vector<Inferred> inferred(const std::vector<Model>& models) {
    std::vector<Inferred> all;
    while (all.size() < models.size()) {
      std::string lines;
      for (std::size_t i = all.size(); i < models.size(); ++i) lines += line_of(models[i]);
      const auto ran =
          command_.run_program(kPython, {BERTH_ROOT "/tests/model/infer_shapes.py"}, lines, {});
      const bool is_whole = read_answers(ran.out, all);
      if (is_whole) {
        EXPECT_EQ(all.size(), models.size()) << ran.err;
        break;
      }
      all.back() = std::nullopt;
      ++agreement_.deaths;
      std::cout << "the ONNX library died of " << models[all.size() - 1].path << '\n';
    }
    return all;
  }

  void compare(const std::vector<Model>& models) {
    const std::vector<Inferred> theirs = inferred(models);
    for (std::size_t i = 0; i < std::min(models.size(), theirs.size()); ++i) {
      if (!theirs[i]) {
        ++agreement_.skipped;
        continue;
      }
      const std::size_t before = agreement_.shapes;
      compare(models[i], *theirs[i]);
      agreement_.models += agreement_.shapes > before ? 1 : 0;
    }
    std::cout << agreement_.shapes << " shapes of " << agreement_.models << " models compared, "
              << agreement_.skipped << " models not known to the library, it died of "
              << agreement_.deaths << '\n';
  }

  test::CommandLine command_;
  Agreement agreement_;

 private:
  static std::string line_of(const Model& model) {
    std::string line = model.path;
    for (const auto& [name, range] : model.bindings.symbols) {
      line += '\t' + name + '=' + std::to_string(range.most);
    }
    return line + '\n';
  }

  // False where the last model has no end.
  static bool read_answers(const std::string& text, std::vector<Inferred>& all) {
    bool is_whole = true;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto cells = cells_of(line);
      if (cells[0] == "model") {
        all.emplace_back(std::in_place);
        is_whole = false;
      } else if (cells[0] == "value" && cells.size() >= 3) {
        all.back()->push_back({cells[1], cells[2], shape_of(cells.size() > 3 ? cells[3] : "")});
      } else {
        if (cells[0] == "refused") all.back() = std::nullopt;
        is_whole = true;
      }
    }
    return is_whole;
  }

  // Of the main block, which is what the library tells of.
  static std::map<std::string, TensorId> main_values(const ModelGraph& graph) {
    std::map<std::string, TensorId> values;
    for (const ModelNode& node : graph.blocks[0].nodes) {
      for (const auto& output : node.outputs) {
        if (output) values.emplace(graph.values[output->index()].name, *output);
      }
    }
    return values;
  }

  void compare(const Model& model, const std::vector<InferredValue>& theirs) {
    const auto content = read_file(model.path);
    ASSERT_TRUE(content);
    const auto graph = read_onnx(*content, base_name(model.path));
    if (!graph) return;
    const auto ours = infer_facts(*graph, model.bindings, End::Most);
    if (!ours) return;
    const auto values = main_values(*graph);
    for (const InferredValue& value : theirs) {
      const auto found = values.find(value.name);
      if (found == values.end()) continue;
      const Fact& fact = ours->facts[found->second.index()];
      if (!fact.shape || !fact.tensor) continue;
      ++agreement_.shapes;
      EXPECT_TRUE(agree(*fact.shape, value.shape))
          << model.path << ": " << value.name << " is " << text_of(fact.shape)
          << ", to the library " << text_of(value.shape);
      if (!fact.element || value.element == "?") continue;
      EXPECT_EQ(fact.element->name(), value.element) << model.path << ": " << value.name;
    }
  }

  static bool agree(const Shape& ours, const Shape& theirs) {
    if (ours.size() != theirs.size()) return false;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] && theirs[i] && ours[i] != theirs[i]) return false;
    }
    return true;
  }
};

TEST_F(OnnxOracle, AgreesOnEveryModelOfTheseTests) {
  const test::TemporaryDirectory folder;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto ran = command_.run_program(self, {"--gtest_filter=-OnnxOracle*"}, "",
                                        {"BERTH_KEEP_MODELS=" + folder.path()});
  EXPECT_EQ(ran.status, 0) << ran.out;
  std::vector<Model> models;
  for (const std::string& name : folder.names()) models.push_back({folder.file(name), {}});
  compare(models);
  EXPECT_GT(agreement_.models, 60u);
  EXPECT_GT(agreement_.shapes, 100u);
}

// The harness itself: a model that the library dies of is skipped, and the next ones are compared.
TEST_F(OnnxOracle, GoesOnBehindAModelThatTheLibraryDiesOf) {
  const test::TemporaryDirectory folder;
  std::vector<Model> models;
  for (int i = 0; i < 3; ++i) {
    models.push_back({folder.file(std::to_string(i) + ".onnx"), {}});
    const std::vector<FileContent> file = {{models.back().path, testing::RandomNodes(1).model()}};
    ASSERT_TRUE(write_files(file));
  }
  models[1].bindings.symbols = {{"die", {0, 0}}};
  compare(models);
  EXPECT_EQ(agreement_.models, 2u);
  EXPECT_EQ(agreement_.skipped, 1u);
  EXPECT_EQ(agreement_.deaths, 1u);
}

TEST_F(OnnxOracle, AgreesOnRandomNodes) {
  constexpr int kModels = 4000;
  const test::TemporaryDirectory folder;
  testing::RandomNodes nodes(3);
  std::vector<Model> models;
  std::vector<FileContent> files;
  for (int i = 0; i < kModels; ++i) {
    models.push_back({folder.file(std::to_string(i) + ".onnx"), {}});
    files.push_back({models.back().path, nodes.model()});
  }
  ASSERT_TRUE(write_files(files));
  compare(models);
  EXPECT_GT(agreement_.models, 3500u);
}

TEST_F(OnnxOracle, AgreesOnEveryPublishedModel) {
  if (!std::filesystem::exists(testing::shared_data("models"))) GTEST_SKIP() << "no model data";
  std::vector<Model> models;
  for (const auto& row : testing::published_models()) {
    models.push_back({testing::shared_data("models/" + row[0] + ".onnx").string(),
                      testing::bindings_of(row[1])});
  }
  compare(models);
  EXPECT_GT(agreement_.models, 15u);
  EXPECT_GT(agreement_.shapes, 1000u);
}

}  // namespace
}  // namespace berth

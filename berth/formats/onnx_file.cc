#include "berth/formats/onnx_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "onnx_schema.pb.h"

namespace berth::onnx {
namespace {

constexpr std::size_t kMostBytes = (std::size_t{1} << 31) - 1;  // a limit of the wire format
constexpr std::size_t kMostGraphs = 64;                         // nested in each other
// A graph lies in an attribute, that in a node, that in a graph; the rest is below the innermost.
constexpr int kMostMessages = 3 * kMostGraphs + 8;

// Which messages lead to a nested graph, and by which field.
enum class Kind { Model, Graph, Node, Attribute, Other };

Kind kind_in(Kind outer, std::uint64_t field) {
  if (outer == Kind::Model && field == 7) return Kind::Graph;
  if (outer == Kind::Graph && field == 1) return Kind::Node;
  if (outer == Kind::Node && field == 5) return Kind::Attribute;
  if (outer == Kind::Attribute && (field == 6 || field == 11)) return Kind::Graph;
  return Kind::Other;
}

// Walks the fields of a file that would not parse, to say where it went wrong.
class FaultWalk {
 public:
  explicit FaultWalk(std::string_view bytes) : bytes_(bytes) {
    open_.push_back({Kind::Model, bytes.size()});
  }

  std::string find() {
    while (!open_.empty()) {
      if (at_ == open_.back().end) {
        graphs_ -= open_.back().kind == Kind::Graph ? 1 : 0;
        open_.pop_back();
        continue;
      }
      if (auto fault = next_field()) return *fault;
    }
    return "is damaged: one of its messages does not hold what its length says";
  }

 private:
  struct Open {
    Kind kind;
    std::size_t end;
  };

  std::optional<std::string> next_field() {
    const std::size_t begin = at_;
    const auto tag = varint();
    if (!tag) return cut(begin);
    switch (*tag & 7) {
      case 0:
        if (!varint()) return cut(begin);
        return std::nullopt;
      case 1:
        return skip(begin, 8);
      case 2:
        return enter(begin, *tag >> 3);
      case 5:
        return skip(begin, 4);
      default:
        return fmt::format("is damaged: byte {} begins no field", begin);
    }
  }

  std::optional<std::string> enter(std::size_t begin, std::uint64_t field) {
    const auto length = varint();
    if (!length || *length > open_.back().end - at_) return cut(begin);
    const Kind kind = kind_in(open_.back().kind, field);
    if (kind == Kind::Other) return skip(begin, *length);
    if (kind == Kind::Graph && ++graphs_ > kMostGraphs) {
      return fmt::format("nests more than {} graphs in each other", kMostGraphs);
    }
    open_.push_back({kind, at_ + *length});
    return std::nullopt;
  }

  std::optional<std::string> skip(std::size_t begin, std::uint64_t length) {
    if (length > open_.back().end - at_) return cut(begin);
    at_ += length;
    return std::nullopt;
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < open_.back().end; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::string cut(std::size_t begin) const {
    return fmt::format("is cut short or damaged: the field at byte {} goes past byte {}, where {}",
                       begin, open_.back().end,
                       open_.size() == 1 ? "the file ends" : "its message ends");
  }

  std::string_view bytes_;
  std::vector<Open> open_;
  std::size_t at_ = 0;
  std::size_t graphs_ = 0;
};

}  // namespace

Result<std::shared_ptr<const schema::Model>> open_model(std::string_view bytes,
                                                        const std::string& name) {
  if (bytes.size() > kMostBytes) {
    return input_error(
        name, fmt::format("has {} bytes; an ONNX file has at most {}", bytes.size(), kMostBytes),
        "keep its weights as external data");
  }
  const auto model = std::make_shared<schema::Model>();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMostMessages);
  if (!model->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return input_error(name, FaultWalk(bytes).find(), "fetch or export the model again");
  }
  if (!model->has_graph()) {
    return input_error(name, "holds no graph", "fetch or export the model again");
  }
  return model;
}

}  // namespace berth::onnx

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::tflite {

namespace schema {
struct Model;
}

// A .tflite file whose tables were verified: every offset in them leads to a place inside the file,
// so that the generated accessors may be used without further checks. The bytes that it was opened
// on must outlive it.
class File {
 public:
  // Refuses what is no TensorFlow Lite model of version 3, or damaged. `name` stands in messages.
  static Result<File> open(std::string_view bytes, std::string name);

  File(File&&) = default;
  File& operator=(File&&) = default;

  const schema::Model& model() const;
  const std::string& name() const { return name_; }

  // The data of an entry of the buffers table, inside the tables or behind them; empty where it
  // has none. The index must be inside the table. Refuses data that is not inside the file.
  Result<std::string_view> buffer(std::size_t index) const;

 private:
  File() = default;

  std::string name_;
  std::string_view bytes_;
  std::vector<std::uint64_t> aligned_;  // a copy, only where the bytes did not start aligned
};

}  // namespace berth::tflite

#include "berth/formats/capture_csv.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "berth/base/text.h"
#include "berth/formats/csv.h"
#include "berth/ir/planes.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 7> kTransfers = {"write", "read",  "copy",  "fill",
                                                        "map",   "unmap", "native"};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [rest, status] =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (status != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Access> parse_access(std::string_view text) {
  if (text == "r") return Access::Read;
  if (text == "w") return Access::Write;
  if (text == "b") return Access::Both;
  return std::nullopt;
}

// "3:w:0:512": the text up to each colon.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(':');
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

class CaptureReader {
 public:
  CaptureReader(std::string_view text, const std::string& file) : lines_(text, file) {}

  Result<Capture> read() {
    if (auto fault = read_head()) return tl::unexpected(*std::move(fault));
    while (!lines_.only_blank_left()) {
      auto cells = lines_.next();
      if (!cells) return tl::unexpected(cells.error());
      if (capture_.ended) {
        return tl::unexpected(fault((*cells)[0], "stands after the end of the program", ""));
      }
      if (auto fault = read_record(*cells)) return tl::unexpected(*std::move(fault));
    }
    return std::move(capture_);
  }

 private:
  using Cells = std::span<const CsvCell>;

  Error fault(const CsvCell& cell, const std::string& message, std::string hint) const {
    return {Error::Kind::Input, lines_.where(cell.column),
            fmt::format("'{}' {}", printable(cell.text()), message), std::move(hint)};
  }

  std::optional<Error> read_head() {
    const auto cells = lines_.next();
    if (!cells) return cells.error();
    if ((*cells)[0].raw != "berth.capture" || cells->size() != 2) {
      return fault((*cells)[0], "is not how the record of a run begins",
                   "expected berth.capture,2");
    }
    if ((*cells)[1].raw == "1" || (*cells)[1].raw == "2") return std::nullopt;
    return fault((*cells)[1], "is no version of berth.capture that this berth reads",
                 "expected 1 or 2");
  }

  std::optional<Error> read_record(Cells cells) {
    const std::string_view kind = cells[0].raw;
    if (kind == "queue") return read_queue(cells);
    if (kind == "buffer") return read_memory(cells, CapturedMemory::Kind::Buffer);
    if (kind == "svm") return read_memory(cells, CapturedMemory::Kind::Svm);
    if (kind == "part") return read_part(cells);
    if (kind == "kernel") return read_kernel(cells);
    for (const std::string_view transfer : kTransfers) {
      if (kind == transfer) return read_transfer(cells);
    }
    if (kind == "end" && cells.size() == 1) {
      capture_.ended = true;
      return std::nullopt;
    }
    return fault(cells[0], "is no record of a run",
                 "expected queue, buffer, svm, part, kernel, write, read, copy, fill, map, unmap, "
                 "native or end");
  }

  std::optional<Error> wrong_count(Cells cells, std::string_view expected) const {
    return fault(cells[0], fmt::format("has {} cells", cells.size()),
                 fmt::format("expected {}", expected));
  }

  // queue,1,in-order
  std::optional<Error> read_queue(Cells cells) {
    if (cells.size() != 3) return wrong_count(cells, "queue,NUMBER,ORDER");
    if (parse_number(cells[1].raw) != capture_.in_order.size() + 1) {
      return fault(cells[1], "is not the next queue's number",
                   fmt::format("expected {}", capture_.in_order.size() + 1));
    }
    const bool in_order = cells[2].raw == "in-order";
    if (!in_order && cells[2].raw != "out-of-order") {
      return fault(cells[2], "is no order", "expected in-order or out-of-order");
    }
    capture_.in_order.push_back(in_order);
    return std::nullopt;
  }

  // buffer,1,0x100000000000000,4096
  std::optional<Error> read_memory(Cells cells, CapturedMemory::Kind kind) {
    if (cells.size() != 4) return wrong_count(cells, "KIND,NUMBER,ADDRESS,BYTES");
    if (auto fault = check_memory_number(cells[1])) return fault;
    const auto address = parse_number(cells[2].raw);
    if (!address) return fault(cells[2], "is no address", "");
    const auto bytes = parse_number(cells[3].raw);
    if (!bytes || *bytes == 0 || addresses(Address(*address), Bytes(*bytes)).upper > kAddressEnd) {
      return fault(cells[3], "is no number of bytes from there on",
                   "expected at least 1, and an end within 64 bits");
    }
    capture_.memories.push_back({kind, Address(*address), Bytes(*bytes)});
    return std::nullopt;
  }

  // part,2,1,256,512
  std::optional<Error> read_part(Cells cells) {
    if (cells.size() != 5) return wrong_count(cells, "part,NUMBER,WHOLE,OFFSET,BYTES");
    if (auto fault = check_memory_number(cells[1])) return fault;
    const auto whole = memory(cells[2].raw);
    if (!whole) return fault(cells[2], "is no memory so far", "");
    const auto offset = parse_number(cells[3].raw);
    const auto bytes = parse_number(cells[4].raw);
    if (!offset || !bytes || *bytes == 0 || !holds(*whole, *offset, *bytes)) {
      return fault(cells[3], "and what follows are no part of it",
                   fmt::format("it has {} bytes", capture_[*whole].bytes.count()));
    }
    const Address address(capture_[*whole].address.value() + *offset);
    capture_.memories.push_back({CapturedMemory::Kind::Part, address, Bytes(*bytes), *whole});
    return std::nullopt;
  }

  // kernel,1,gemm,m2:b,p0x7f00:r,v64,s24
  std::optional<Error> read_kernel(Cells cells) {
    if (cells.size() < 3) return wrong_count(cells, "kernel,QUEUE,NAME,WORD...");
    const auto queue = queue_of(cells[1], 1);
    if (!queue) return queue.error();
    capture_.commands.push_back({true, printable(cells[2].text()), {}, *queue});
    return read_words(cells.subspan(3));
  }

  // write,1,m2:w:0:512
  std::optional<Error> read_transfer(Cells cells) {
    if (cells.size() < 2) return wrong_count(cells, "KIND,QUEUE,WORD...");
    const auto queue = queue_of(cells[1], 0);
    if (!queue) return queue.error();
    capture_.commands.push_back({false, std::string(cells[0].raw), {}, *queue});
    return read_words(cells.subspan(2));
  }

  // Queue 0 is the host.
  Result<std::uint64_t> queue_of(const CsvCell& cell, std::uint64_t least) const {
    const auto queue = parse_number(cell.raw);
    if (queue && *queue >= least && *queue <= capture_.in_order.size()) return *queue;
    return tl::unexpected(fault(cell, "is no queue so far", ""));
  }

  std::optional<Error> read_words(Cells cells) {
    for (const CsvCell& cell : cells) {
      if (!read_word(cell.raw)) {
        return fault(cell, "is no word of a command",
                     "expected such as m2:b, m2:w:0:512, p0x7f00:r, p0x7f00:w:512, v64, s24 or "
                     "s3:00ff7e");
      }
    }
    return std::nullopt;
  }

  // False where it is none.
  bool read_word(std::string_view text) {
    if (text.empty()) return false;
    const char kind = text[0];
    const auto parts = split(text.substr(1));
    const auto number = parse_number(parts[0]);
    if (!number) return false;
    if (kind == 'm') return read_memory_word(parts);
    if (kind == 'p') return read_pointer(*number, parts);
    if (kind == 's' && parts.size() == 2) return read_struct(*number, parts[1]);
    if (parts.size() != 1) return false;
    if (kind == 's') ++capture_.unseen_pointers;
    if (kind == 'v') words().push_back({*number});
    return kind == 's' || kind == 'v';
  }

  // Where a pointer stands in it is not known: at a multiple of 4, as its members are. So each
  // stretch of 8 bytes that begins at one is a word.
  bool read_struct(std::uint64_t bytes, std::string_view digits) {
    if (digits.size() / 2 != bytes || digits.size() % 2 != 0) return false;
    std::vector<std::uint8_t> content;
    content.reserve(bytes);
    for (; !digits.empty(); digits.remove_prefix(2)) {
      std::uint8_t byte = 0;
      const auto [rest, status] = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
      if (status != std::errc() || rest != digits.data() + 2) return false;
      content.push_back(byte);
    }
    for (std::size_t at = 0; at + 8 <= content.size(); at += 4) {
      std::uint64_t value = 0;
      for (std::size_t i = 8; i > 0; --i) value = value << 8 | content[at + i - 1];
      words().push_back({value});
    }
    return true;
  }

  bool read_memory_word(std::span<const std::string_view> parts) {
    const auto id = memory(parts[0]);
    if (!id || (parts.size() != 2 && parts.size() != 4)) return false;
    const auto access = parse_access(parts[1]);
    const auto offset = parts.size() == 4 ? parse_number(parts[2]) : 0;
    const auto bytes = parts.size() == 4 ? parse_number(parts[3]) : capture_[*id].bytes.count();
    if (!access || !offset || !bytes || !holds(*id, *offset, *bytes)) return false;
    words().push_back({capture_[*id].address.value() + *offset, *id, Bytes(*bytes), *access});
    return true;
  }

  bool read_pointer(std::uint64_t value, std::span<const std::string_view> parts) {
    if (parts.size() != 2 && parts.size() != 3) return false;
    const auto access = parse_access(parts[1]);
    const auto bytes = parts.size() == 3 ? parse_number(parts[2]) : 0;
    if (!access || !bytes || addresses(Address(value), Bytes(*bytes)).upper > kAddressEnd) {
      return false;
    }
    words().push_back({value, std::nullopt, Bytes(*bytes), *access});
    return true;
  }

  std::vector<CapturedWord>& words() { return capture_.commands.back().words; }

  std::optional<Error> check_memory_number(const CsvCell& cell) const {
    const std::uint64_t next = capture_.memories.size() + 1;
    if (parse_number(cell.raw) == next) return std::nullopt;
    return fault(cell, "is not the next memory's number", fmt::format("expected {}", next));
  }

  std::optional<MemoryId> memory(std::string_view text) const {
    const auto number = parse_number(text);
    if (!number || *number == 0 || *number > capture_.memories.size()) return std::nullopt;
    return MemoryId(*number - 1);
  }

  bool holds(MemoryId id, std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t all = capture_[id].bytes.count();
    return offset <= all && bytes <= all - offset;
  }

  CsvLines lines_;
  Capture capture_;
};

}  // namespace

Result<Capture> read_capture(std::string_view text, const std::string& file) {
  const auto last_end = text.rfind('\n');
  return CaptureReader(text.substr(0, last_end == text.npos ? 0 : last_end + 1), file).read();
}

}  // namespace berth

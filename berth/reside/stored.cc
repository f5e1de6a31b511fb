#include "berth/reside/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/live/program_lives.h"
#include "berth/live/tensor_groups.h"

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

// The same elements in whole tiles; `layout` has them one by one.
TileLayout in_tiles(const TileLayout& layout, const std::vector<std::uint64_t>& tile) {
  TileLayout tiled = layout;
  if (tiled.dims.size() < tile.size()) {
    tiled.dims.insert(tiled.dims.begin(), tile.size() - tiled.dims.size(), 1);
  }
  tiled.tile.assign(tiled.dims.size() - tile.size(), 1);
  tiled.tile.insert(tiled.tile.end(), tile.begin(), tile.end());
  return tiled;
}

// Of elements that share bytes a tile has whole bytes of its own.
std::optional<Bytes> bytes_of_tile(const std::vector<std::uint64_t>& tile,
                                   const TileLayout& elements) {
  if (elements.packed_bits > 0) return packed_bytes(tile, elements.packed_bits);
  std::optional<Bytes> bytes = elements.tile_bytes;
  for (const std::uint64_t side : tile) bytes = bytes ? checked_multiply(*bytes, side) : bytes;
  return bytes;
}

// All of a tensor stays all of it, and a part the same part of it, rounded up.
Bytes moved_of(Bytes moved, Bytes before, Bytes after) {
  if (before == Bytes(0)) return moved;
  const Wide part = Wide(std::min(moved, before).count()) * after.count();
  return Bytes(static_cast<std::uint64_t>((part + before.count() - 1) / before.count()));
}

std::optional<Error> store_in_tiles(Program& program, const std::vector<std::uint64_t>& tile) {
  std::vector<Bytes> before;
  for (Tensor& tensor : program.tensors) {
    before.push_back(tensor.bytes);
    if (!tensor.layout) continue;
    const auto tile_bytes = bytes_of_tile(tile, *tensor.layout);
    tensor.layout = in_tiles(*tensor.layout, tile);
    tensor.layout->packed_bits = 0;
    if (tile_bytes) tensor.layout->tile_bytes = *tile_bytes;
    const auto bytes = tile_bytes ? tiled_bytes(*tensor.layout) : std::nullopt;
    if (!bytes) {
      return Error{Error::Kind::Input, "tensor " + tensor.name,
                   "its whole tiles take more than 2^64 bytes", ""};
    }
    tensor.bytes = *bytes;
    tensor.view_of.reset();
  }
  for (Phase& phase : program.phases) {
    for (TensorAccess& access : phase.accesses) {
      const std::size_t tensor = access.tensor.index();
      access.bytes = moved_of(access.bytes, before[tensor], program.tensors[tensor].bytes);
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Program> stored_program(const Program& program, const Target& target) {
  Program stored = program;
  auto names = unique_names(program);
  for (std::size_t i = 0; i < names.size(); ++i) stored.tensors[i].name = std::move(names[i]);
  if (!target.tile.empty()) {
    if (auto fault = store_in_tiles(stored, target.tile)) return tl::unexpected(*std::move(fault));
  }
  const auto groups = group_tensors(stored);
  if (!groups) return tl::unexpected(groups.error());
  const auto has_no_bytes = [&](const TensorAccess& access) {
    const auto why = why_kept(stored, *groups, access.tensor);
    return why == KeptWhy::Dynamic || why == KeptWhy::CallLocal;
  };
  std::vector<Phase> phases = stored.phases;
  for (Phase& phase : phases) std::erase_if(phase.accesses, has_no_bytes);
  stored.phases = std::move(phases);
  return stored;
}

}  // namespace berth

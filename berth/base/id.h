#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace berth {

// An index into one table that does not convert to an index into another:
//   using BufferId = Id<struct BufferTag>;
template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  template <typename Integer>
  constexpr explicit Id(Integer index) : index_(static_cast<std::uint32_t>(index)) {}

  constexpr std::size_t index() const { return index_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t index_ = 0;
};

using BufferId = Id<struct BufferTag>;
using ChipId = Id<struct ChipTag>;
using DeviceId = Id<struct DeviceTag>;
using TensorId = Id<struct TensorTag>;

}  // namespace berth

template <typename Tag>
struct std::hash<berth::Id<Tag>> {
  std::size_t operator()(berth::Id<Tag> id) const noexcept { return id.index(); }
};

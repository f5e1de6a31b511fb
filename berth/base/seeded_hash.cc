#include "berth/base/seeded_hash.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <random>

namespace berth {
namespace {

__extension__ using Product = unsigned __int128;

struct Seed {
  std::uint64_t of_value = 0x9E3779B97F4A7C15;
  std::uint64_t of_state = 0xD1B54A32D192ED03;
};

Seed drawn_seed() {
  Seed seed;
  try {
    std::random_device device;
    for (std::uint64_t* half : {&seed.of_value, &seed.of_state}) {
      *half ^= (std::uint64_t{device()} << 32) | device();
    }
  } catch (const std::exception&) {
    // Without a source of chance, tables are right and only as fast as their keys let them be.
  }
  return seed;
}

const Seed& seed() {
  static const Seed kSeed = drawn_seed();
  return kSeed;
}

std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  const Product product = Product(state ^ seed().of_state) * (value ^ seed().of_value);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

void HashState::add(std::uint64_t value) {
  state_ = mixed(state_, value);
}

void HashState::add(std::string_view text) {
  add(text.size());  // which also tells "a", "b" from "ab"
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(text.size(), sizeof word);
    std::memcpy(&word, text.data(), taken);
    add(word);
    text.remove_prefix(taken);
  }
}

std::size_t SeededHash::operator()(std::string_view text) const {
  HashState state;
  state.add(text);
  return state.value();
}

std::size_t SeededHash::operator()(std::uint64_t value) const {
  HashState state;
  state.add(value);
  return state.value();
}

}  // namespace berth

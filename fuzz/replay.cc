// Runs a fuzz entry over the files of a folder and seeded mutations of them: the same inputs every
// time, with any compiler.
//
//   replay_schedule fuzz/corpus/schedule 2000
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "berth/formats/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kLongest = 1 << 16;

std::vector<std::string> seeds_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> seeds = {""};
  for (const auto& path : paths) seeds.push_back(berth::read_file(path.string()).value());
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string next() {
    std::string text = any_seed();
    for (auto changes = 1 + below(8); changes > 0; --changes) change(text);
    text.resize(std::min(text.size(), kLongest));
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const std::string& any_seed() { return seeds_[below(seeds_.size())]; }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        text.insert(at, piece_of(any_seed()));
        break;
      case 5:
        text.resize(at);
        break;
      case 6:
        put_number(text, at);
        break;
      default:
        put_bytes(text, at);
    }
  }

  std::string piece_of(const std::string& seed) {
    const std::size_t at = below(seed.size());
    return seed.substr(at, below(80));
  }

  std::uint64_t odd_number() {
    const std::uint64_t power = std::uint64_t{1} << below(64);
    return below(2) == 0 ? below(20) : power - below(2);
  }

  // The number in digits that stands at or behind `at` becomes another.
  void put_number(std::string& text, std::size_t at) {
    const auto digit = text.find_first_of("0123456789", at);
    if (digit == std::string::npos) return;
    const auto end = std::min(text.find_first_not_of("0123456789", digit), text.size());
    text.replace(digit, end - digit, std::to_string(odd_number()));
  }

  // Four bytes become a little-endian number.
  void put_bytes(std::string& text, std::size_t at) {
    std::uint64_t number = odd_number();
    for (std::size_t i = at; i < std::min(at + 4, text.size()); ++i) {
      text[i] = static_cast<char>(number & 0xFF);
      number >>= 8;
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_{20261130};
};

const std::string* running = nullptr;

// The input that broke a promise, on standard error: it belongs into the corpus.
void show_running(int /*signal*/) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, running->data(), running->size());
  std::_Exit(1);
}

void run(const std::string& text) {
  running = &text;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: replay FOLDER MUTATIONS\n", stderr);
    return 2;
  }
  std::signal(SIGABRT, show_running);
  const auto seeds = seeds_in(words[1]);
  const std::string number = words[2];
  unsigned mutations = 0;
  std::from_chars(number.data(), number.data() + number.size(), mutations);
  for (const std::string& seed : seeds) run(seed);
  Mutator mutator(seeds);
  for (unsigned i = 0; i < mutations; ++i) run(mutator.next());
  std::printf("%zu seeds and %u mutations: no fault\n", seeds.size(), mutations);
}

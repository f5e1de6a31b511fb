#include <iostream>
#include <variant>

#include "berth/plan/pack.h"

int main() {
  using namespace berth;
  const auto instance = Instance::make({Device{.name = "CPU"}},
                                       {{.name = "query", .size = Bytes(96), .life = {0, 4}},
                                        {.name = "key", .size = Bytes(64), .life = {1, 5}},
                                        {.name = "score", .size = Bytes(96), .life = {4, 6}}});
  if (!instance) return std::cerr << to_string(instance.error()) << '\n', 1;

  const auto answer = pack(*instance, PackOptions());
  if (!answer) return std::cerr << to_string(answer.error()) << '\n', 1;
  const auto* packing = std::get_if<Packing>(&*answer);
  if (packing == nullptr) return std::cerr << "fixed places leave no placement\n", 1;

  std::cout << "arena " << packing->arenas[0].peak.count() << ", at least "
            << packing->arenas[0].lower_bound.count() << '\n';
  for (std::size_t i = 0; i < instance->size(); ++i) {
    std::cout << instance->buffers()[i].name << " at " << packing->placement.places[i].value()
              << '\n';
  }
}

#include "berth/reside/relaxation.h"

#include <algorithm>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>

namespace berth {
namespace {

constexpr double kLarge = 1000;  // what the largest capacity and the largest saving are scaled to

double scale_for(std::uint64_t largest) {
  return largest == 0 ? 1 : static_cast<double>(largest) / kLarge;
}

}  // namespace

// A column an item (how much of it stays), and one a phase (its load, at most the capacity). A row
// a phase says how its load differs from that of the phase before: by what begins there and what
// ended. So a range of phases stands in two rows, however long it is; what one more byte of a phase
// is worth is the reduced cost of its load.
struct Relaxation::Model {
  ClpSimplex clp;
  std::size_t items = 0;
  std::size_t phases = 0;
  double bytes_scale = 1;
  double moved_scale = 1;
};

Relaxation::Relaxation(const Choice& choice) : model_(std::make_unique<Model>()) {
  Model& model = *model_;
  model.items = choice.items.size();
  model.phases = choice.capacity.size();
  std::uint64_t most_moved = 0;
  std::uint64_t most_capacity = 0;
  for (const ChoiceItem& item : choice.items) {
    most_moved = std::max(most_moved, item.moved.count());
  }
  for (const Bytes capacity : choice.capacity) {
    most_capacity = std::max(most_capacity, capacity.count());
  }
  model.moved_scale = scale_for(most_moved);
  model.bytes_scale = scale_for(most_capacity);

  std::vector<int> rows;
  std::vector<int> columns;
  std::vector<double> values;
  const auto put = [&](std::size_t row, std::size_t column, double value) {
    rows.push_back(static_cast<int>(row));
    columns.push_back(static_cast<int>(column));
    values.push_back(value);
  };
  std::vector<double> cost(model.items + model.phases, 0);
  std::vector<double> upper(model.items + model.phases, 0);
  for (std::size_t i = 0; i < model.items; ++i) {
    const ChoiceItem& item = choice.items[i];
    const double bytes = static_cast<double>(item.bytes.count()) / model.bytes_scale;
    for (const LiveRange range : item.ranges()) {
      if (range.empty()) continue;
      put(range.lower, i, -bytes);
      if (range.upper < model.phases) put(range.upper, i, bytes);
    }
    cost[i] = -static_cast<double>(item.moved.count()) / model.moved_scale;
    upper[i] = static_cast<double>(item.count);
  }
  for (std::size_t phase = 0; phase < model.phases; ++phase) {
    put(phase, model.items + phase, 1);
    if (phase > 0) put(phase, model.items + phase - 1, -1);
    upper[model.items + phase] =
        static_cast<double>(choice.capacity[phase].count()) / model.bytes_scale;
  }
  const CoinPackedMatrix matrix(true, rows.data(), columns.data(), values.data(),
                                static_cast<CoinBigIndex>(values.size()));
  const std::vector<double> zero(std::max(cost.size(), model.phases), 0);
  model.clp.setLogLevel(0);
  model.clp.loadProblem(matrix, zero.data(), upper.data(), cost.data(), zero.data(), zero.data());
}

Relaxation::~Relaxation() = default;

Relaxation::Answer Relaxation::solve(std::span<const std::uint64_t> low,
                                     std::span<const std::uint64_t> high) {
  Model& model = *model_;
  for (std::size_t i = 0; i < model.items; ++i) {
    model.clp.setColumnBounds(static_cast<int>(i), static_cast<double>(low[i]),
                              static_cast<double>(high[i]));
  }
  model.clp.dual();
  Answer answer;
  answer.solved = model.clp.status() == 0;
  if (!answer.solved) return answer;
  const double* solution = model.clp.primalColumnSolution();
  answer.kept.assign(solution, solution + model.items);
  const double* reduced = model.clp.dualColumnSolution() + model.items;
  const double unit = model.moved_scale / model.bytes_scale;
  for (std::size_t phase = 0; phase < model.phases; ++phase) {
    answer.price.push_back(std::max(0.0, -reduced[phase]) * unit);
  }
  return answer;
}

}  // namespace berth

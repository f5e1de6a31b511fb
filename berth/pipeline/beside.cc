#include "berth/pipeline/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr Bytes kAll{UINT64_MAX};

Bytes capped_add(Bytes a, Bytes b) {
  return checked_add(a, b).value_or(kAll);
}

}  // namespace

Bytes beside_of(std::span<const KeptTensor> kept, const std::string& device, Alignment unit) {
  Bytes lasting;
  Bytes in_turns;  // of all lives together: an upper bound that says whether sums can pass 64 bits
  std::map<Step, std::pair<Bytes, Bytes>> turns;  // by step: what begins there, what ends there
  for (const KeptTensor& tensor : kept) {
    if (tensor.device != device) continue;
    const Bytes bytes = checked_round_up(tensor.bytes, unit).value_or(kAll);
    if (!tensor.life) {
      lasting = capped_add(lasting, bytes);
      continue;
    }
    in_turns = capped_add(in_turns, bytes);
    if (in_turns == kAll) return kAll;
    turns[tensor.life->lower].first += bytes;
    turns[tensor.life->upper].second += bytes;
  }
  Bytes live;
  Bytes most;
  for (const auto& [step, change] : turns) {
    live = live - change.second + change.first;
    most = std::max(most, live);
  }
  return capped_add(lasting, most);
}

std::vector<std::string> unsized_on(std::span<const KeptTensor> kept, const std::string& device) {
  std::vector<std::string> names;
  for (const KeptTensor& tensor : kept) {
    if (tensor.why == KeptWhy::Dynamic && tensor.device == device) names.push_back(tensor.name);
  }
  return names;
}

std::optional<Bytes> capacity_of(const PlanOptions& options, const std::string& device) {
  std::optional<Bytes> of_all;
  for (const auto& [name, bytes] : options.capacity) {
    if (name == device && !name.empty()) return bytes;
    if (name.empty()) of_all = bytes;
  }
  return of_all;
}

std::optional<std::string> find_full_device(std::span<const KeptTensor> kept,
                                            const Instance& instance, const PlanOptions& options) {
  std::set<std::string> planned;
  for (const Device& device : instance.devices()) planned.insert(device.name);
  for (const KeptTensor& tensor : kept) {
    if (!tensor.device || planned.contains(*tensor.device)) continue;
    const auto capacity = capacity_of(options, *tensor.device);
    if (!capacity) continue;
    const Bytes beside = beside_of(kept, *tensor.device, instance.unit());
    const Bytes need = capped_add(beside, options.reserve);
    if (need <= *capacity) continue;
    return fmt::format(
        "{} does not fit: nothing is planned there, and what is kept apart takes {} bytes{} of "
        "{}\n",
        printable(*tensor.device), beside.count(),
        options.reserve > Bytes(0) ? fmt::format(" beside {} reserved", options.reserve.count())
                                   : "",
        capacity->count());
  }
  return std::nullopt;
}

std::vector<std::string> not_counted(InputKind kind, const Program& program,
                                     const std::optional<Bytes>& estimate) {
  std::vector<std::string> parts;
  if (kind != InputKind::ProgramJson) parts.emplace_back("scratch of kernels (--scratch adds it)");
  if (estimate) {
    parts.push_back(
        fmt::format("what TensorFlow Lite Micro keeps beside the tensors, an estimated {} bytes",
                    estimate->count()));
  }
  std::optional<Bytes> constants = Bytes(0);
  for (const Tensor& tensor : program.tensors) {
    if (tensor.kind != TensorKind::Weight || tensor.view_of) continue;
    if (constants) constants = checked_add(*constants, tensor.bytes);
  }
  if (!constants) parts.emplace_back("constants, past 64 bits");
  if (constants && *constants > Bytes(0)) {
    parts.push_back(fmt::format("constants, {} bytes, read where they lie", constants->count()));
  }
  return parts;
}

}  // namespace berth

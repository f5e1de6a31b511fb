#include "berth/pipeline/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "berth/certify/order.h"
#include "berth/formats/file.h"
#include "berth/formats/json.h"
#include "berth/formats/schedule.h"
#include "berth/live/load.h"
#include "berth/live/phase_order.h"
#include "berth/live/program_lives.h"
#include "berth/live/schedule_lives.h"
#include "berth/live/shared_rows.h"
#include "berth/pipeline/beside.h"
#include "berth/pipeline/model_input.h"

namespace berth {
namespace {

constexpr const char* kExpected =
    "give a .tflite or .onnx model, a program, an instance table or a schedule";

// Names that were asked for; each must be met.
class AskedNames {
 public:
  AskedNames(std::span<const std::string> names, std::string option)
      : left_(names.begin(), names.end()), all_(left_), option_(std::move(option)) {}

  bool asks(const std::string& name) {
    left_.erase(name);
    return all_.contains(name);
  }
  std::optional<Error> unmet(const std::string& file) const {
    if (left_.empty()) return std::nullopt;
    return Error{Error::Kind::Usage, option_,
                 fmt::format("{} has no buffer '{}'", file, *left_.begin()),
                 "name a buffer as the table or the plan names it"};
  }

 private:
  std::set<std::string> left_;
  std::set<std::string> all_;
  std::string option_;
};

Result<Instance> with_buffers(const Instance& instance, std::vector<Buffer> buffers) {
  return Instance::make({instance.devices().begin(), instance.devices().end()}, std::move(buffers),
                        instance.unit(),
                        {instance.step_names().begin(), instance.step_names().end()});
}

// Without the rows that --hold names, and what was permitted them.
Result<Question> hold_rows(Question question, const InputFile& file, const PlanOptions& options,
                           std::vector<SharePermission>& permissions) {
  AskedNames hold(options.hold, "--hold");
  std::vector<bool> is_held;
  std::vector<std::size_t> image;
  std::size_t left = 0;
  for (const Buffer& buffer : question.instance.buffers()) {
    is_held.push_back(hold.asks(buffer.name));
    image.push_back(left);
    left += is_held.back() ? 0 : 1;
    if (!is_held.back()) continue;
    const std::string& device = question.instance[buffer.device].name;
    question.kept.push_back({buffer.name, KeptWhy::Held, buffer.size, device});
  }
  if (auto error = hold.unmet(file.path)) return tl::unexpected(std::move(*error));
  std::erase_if(permissions, [&](const SharePermission& permission) {
    return is_held[permission.guest] || is_held[permission.host];
  });
  for (SharePermission& permission : permissions) {
    permission.guest = image[permission.guest];
    permission.host = image[permission.host];
  }
  return without_buffers(std::move(question), is_held);
}

Result<Question> read_table_question(const InputFile& file, const PlanOptions& options) {
  auto read = read_instance_csv(file.content, file.path, options.alignment.value_or(Alignment()));
  if (!read) return tl::unexpected(read.error());
  auto permissions = std::move(read->permissions);
  Question question{std::move(read->instance), {}, TableForm{std::move(read->table)}};
  for (const SharePermission& permission : permissions) {
    const auto name = [&](std::size_t row) { return question.instance[BufferId(row)].name; };
    question.permissions.push_back(
        {permission.kind, name(permission.guest), name(permission.host), permission.offset});
  }
  if (!options.hold.empty()) {
    auto rest = hold_rows(std::move(question), file, options, permissions);
    if (!rest) return rest;
    question = *std::move(rest);
  }
  if (permissions.empty() || !options.share) return question;
  auto rows = share_rows(question.instance, permissions);
  if (!rows) return tl::unexpected(rows.error());
  question.instance = std::move(rows->instance);
  std::get<TableForm>(question.form).members = std::move(rows->members);
  return question;
}

// Nodes of the storage that --hold names: by name, or "slot N".
Result<std::vector<OpId>> held_nodes(const Schedule& schedule, const InputFile& file,
                                     const PlanOptions& options) {
  AskedNames hold(options.hold, "--hold");
  std::vector<OpId> held;
  const OpGraph& graph = schedule.graph();
  for (std::size_t i = 0; i < graph.size() && !options.hold.empty(); ++i) {
    const OpId id(i);
    if (graph[id].kind != OpKind::Buffer) continue;
    const Storage& storage = graph.storage(id);
    const bool by_name = !storage.name.empty() && hold.asks(storage.name);
    if (by_name || hold.asks(fmt::format("slot {}", storage.slot))) held.push_back(id);
  }
  if (auto error = hold.unmet(file.path)) return tl::unexpected(std::move(*error));
  return held;
}

// What is held, given by the caller or a call's own takes memory of its device too.
std::vector<KeptTensor> kept_storage(const Schedule& schedule, ScheduleInstance& lives) {
  std::map<OpId, LiveRange> life;
  for (const StorageLife& it : storage_lives(schedule)) life.emplace(it.storage, it.life);
  std::vector<KeptTensor> kept;
  for (std::size_t i = 0; i < lives.kept.size(); ++i) {
    const auto& [id, why] = lives.kept[i];
    kept.push_back(
        {std::move(lives.kept_names[i]), why, Bytes(schedule.graph().view(id)->bytes.upper)});
    const std::string& device = schedule.graph().storage(id).device;
    const bool takes = why == KeptWhy::Held || why == KeptWhy::Param || why == KeptWhy::CallLocal;
    if (!takes || is_disk(device)) continue;
    kept.back().device = device;
    if (why == KeptWhy::CallLocal) kept.back().life = life.at(id);
  }
  return kept;
}

// With the planner off nothing is planned: what would have been is kept for that reason.
void keep_all(ScheduleInstance& lives, std::vector<KeptTensor>& kept) {
  for (const Buffer& buffer : lives.instance.buffers()) {
    kept.push_back(
        {buffer.name, KeptWhy::PlannerOff, buffer.size, lives.instance[buffer.device].name});
  }
  lives.ops.clear();
  lives.instance = *Instance::make({}, {}, lives.instance.unit(), {});
}

Result<Question> read_schedule_question(const InputFile& file, const PlanOptions& options) {
  const auto document = JsonDocument::parse(file.content, file.path);
  if (!document) return tl::unexpected(document.error());
  auto schedule = read_schedule(*document);
  if (!schedule) return tl::unexpected(schedule.error());
  const auto held = held_nodes(*schedule, file, options);
  if (!held) return tl::unexpected(held.error());
  const Alignment unit = options.alignment.value_or(*Alignment::of(kScheduleUnit));
  if (unit.value() < kScheduleUnit) {
    return usage_error(
        "--alignment",
        fmt::format("{} is less than the {} bytes within which a schedule says where "
                    "a buffer begins",
                    unit.value(), kScheduleUnit),
        fmt::format("choose {} or more", kScheduleUnit));
  }
  auto lives = schedule_instance(*schedule, *held, unit);
  if (!lives) return tl::unexpected(lives.error());

  std::vector<KeptTensor> kept = kept_storage(*schedule, *lives);
  if (options.planner_off) keep_all(*lives, kept);
  return Question{std::move(lives->instance), std::move(kept),
                  ScheduleForm{*std::move(schedule), std::move(lives->ops)}};
}

// Whatever shares a held tensor's bytes is held with it.
Result<Question> hold_members(Question question, const InputFile& file,
                              const PlanOptions& options) {
  AskedNames hold(options.hold, "--hold");
  const std::vector<Member>& members = std::get<ModelForm>(question.form).members;
  std::vector<bool> is_held(question.instance.size());
  for (const Member& member : members) {
    if (hold.asks(member.name)) is_held[member.buffer.index()] = true;
  }
  if (auto error = hold.unmet(file.path)) return tl::unexpected(std::move(*error));
  for (const Member& member : members) {
    if (!is_held[member.buffer.index()]) continue;
    question.kept.push_back({member.name, KeptWhy::Held, member.bytes});
    const Buffer& buffer = question.instance[member.buffer];
    // The others that are held with it stand on its bytes.
    if (member.name == buffer.name) {
      question.kept.back().device = question.instance[buffer.device].name;
    }
  }
  return without_buffers(std::move(question), is_held);
}

// Of all devices together.
Bytes max_load_of(const Instance& instance) {
  Bytes sum;
  for (const auto& curve : load_curves(instance, Sizes::Padded)) sum += curve.max();
  return sum;
}

// The lives under an order with a lower max load; nothing where none was found.
Result<std::optional<std::pair<ProgramInstance, PhaseOrder>>> reordered_lives(
    const Program& program, Alignment unit, const OfflinePlan& fixed, Bytes load,
    std::uint64_t effort) {
  const auto order = find_smaller_order(program, unit, effort);
  if (!order) return tl::unexpected(order.error());
  if (!*order) return std::nullopt;
  auto lives = program_instance(reordered(program, **order), unit, fixed);
  if (!lives) return tl::unexpected(lives.error());
  if (max_load_of(lives->instance) >= load) return std::nullopt;
  return std::pair(*std::move(lives), **order);
}

std::string reorder_note(const Program& program, const PhaseOrder& order, Bytes before,
                         Bytes after) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < order.size(); ++i) moved += order[i] != i ? 1 : 0;
  return fmt::format("{} of {} steps run at another time: max load {} -> {}", moved,
                     program.phases.size(), before.count(), after.count());
}

Result<Question> read_model_question(const InputFile& file, const PlanOptions& options) {
  auto input = read_model_input(file, options);
  if (!input) return tl::unexpected(input.error());
  const Program& program = input->program;
  const Alignment unit = options.alignment.value_or(input->unit);
  std::vector<std::string> notes = std::move(input->notes);
  if (!program.buffers.empty()) {
    notes.push_back(fmt::format(
        "{} buffers of sites have places of their own and are not planned (--target counts them)",
        program.buffers.size()));
  }

  PhaseOrder order;
  std::optional<std::string> order_fault;
  if (options.order) {
    order_fault = find_order_fault(program, *options.order);
    if (!order_fault) order = *options.order;
  }
  const Sharing sharing = options.share ? Sharing::Granted : Sharing::Declined;
  auto lives = program_instance(order.empty() ? program : reordered(program, order), unit,
                                input->fixed, sharing);
  if (!lives) return tl::unexpected(lives.error());
  if (options.reorder && order.empty()) {
    const Bytes load = max_load_of(lives->instance);
    auto better = reordered_lives(program, unit, input->fixed, load, options.pack.effort);
    if (!better) return tl::unexpected(better.error());
    if (*better) {
      std::tie(*lives, order) = **std::move(better);
      notes.push_back(reorder_note(program, order, load, max_load_of(lives->instance)));
    } else {
      notes.push_back(
          fmt::format("no order of the steps was found with a max load below {}", load.count()));
    }
  }
  Question question{std::move(lives->instance),
                    std::move(lives->kept),
                    ModelForm{std::move(lives->members), reordered(program, order)},
                    std::move(notes),
                    std::move(order),
                    std::move(order_fault),
                    std::move(lives->permissions),
                    not_counted(kind_of(file.content), program, input->estimate),
                    input->estimate};
  if (options.hold.empty()) return question;
  return hold_members(std::move(question), file, options);
}

Result<Question> read_form(const InputFile& file, const PlanOptions& options) {
  switch (kind_of(file.content)) {
    case InputKind::InstanceCsv:
      return read_table_question(file, options);
    case InputKind::ScheduleJson:
      return read_schedule_question(file, options);
    case InputKind::Tflite:
    case InputKind::Onnx:
    case InputKind::ProgramJson:
      return read_model_question(file, options);
    case InputKind::ReasonJson:
      return input_error(file.path, "is a reason for which a plan was refused, not an input",
                         "'berth check' judges it");
    case InputKind::PlanJson:
      return input_error(file.path, "is a plan already",
                         "plan the file it was made from, or give it to 'berth check'");
    case InputKind::Executorch:
      return input_error(file.path, "is an ExecuTorch program, which this version does not read",
                         kExpected);
    case InputKind::OtherBinary:
      return input_error(file.path, "is a binary of no kind that is known, or a damaged model",
                         kExpected);
    case InputKind::DeploymentJson:
      return input_error(file.path, "is programs with the layers that run them, on no chip yet",
                         "--target says on which: targets/ has public ones");
    case InputKind::ResidencyJson:
      return input_error(file.path, "says what tensors live in which memory, not where in it",
                         "plan the file it was made from with --target");
    case InputKind::OtherJson:
      return input_error(file.path, "is JSON, but its \"format\" is none that can be planned",
                         "expected \"berth.schedule/1\" or \"berth.program/1\"");
  }
  __builtin_unreachable();
}

// A table's steps have no names: it ends with the last of its rows.
std::uint64_t step_count(const Instance& instance) {
  if (!instance.step_names().empty()) return instance.step_names().size();
  Step end = 0;
  for (const Buffer& buffer : instance.buffers()) end = std::max(end, buffer.life.upper);
  return end;
}

// The steps that an operator's name, or a number, means.
std::vector<Step> steps_named(const Instance& instance, const std::string& name) {
  std::vector<Step> steps;
  for (Step step = 0; step < instance.step_names().size(); ++step) {
    if (instance.step_names()[step] == name) steps.push_back(step);
  }
  if (!steps.empty()) return steps;
  Step number = 0;
  const auto [rest, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = status == std::errc() && rest == name.data() + name.size();
  if (is_number && number < step_count(instance)) steps.push_back(number);
  return steps;
}

// `runs_on`: of a schedule, where its steps run.
std::optional<DeviceId> device_of(const Question& question, Step step,
                                  std::span<const std::optional<DeviceId>> runs_on) {
  if (std::holds_alternative<ScheduleForm>(question.form)) return runs_on[step];
  if (question.instance.devices().size() == 1) return DeviceId(0);
  return std::nullopt;
}

Result<Question> add_scratch(Question question, const InputFile& file, const PlanOptions& options) {
  const auto old = question.instance.buffers();
  std::vector<Buffer> buffers(old.begin(), old.end());
  std::vector<std::optional<DeviceId>> runs_on;
  if (const auto* form = std::get_if<ScheduleForm>(&question.form)) {
    runs_on = step_devices(form->schedule, question.instance);
  }
  for (const auto& [name, bytes] : options.scratch) {
    const auto steps = steps_named(question.instance, name);
    if (steps.empty()) {
      return usage_error("--scratch", fmt::format("{} has no step '{}'", file.path, name),
                         fmt::format("give an operator's name as the table prints it, or a step's "
                                     "number below {}",
                                     step_count(question.instance)));
    }
    for (const Step step : steps) {
      const auto device = device_of(question, step, runs_on);
      if (!device) {
        return usage_error("--scratch",
                           fmt::format("step {} runs on no one device of {}", step, file.path),
                           "give the scratch as a row of the file, with its device");
      }
      buffers.push_back({.name = fmt::format("scratch of step {} (--scratch {})", step, name),
                         .size = bytes,
                         .life = {step, step + 1},
                         .device = *device});
    }
  }
  auto instance = with_buffers(question.instance, std::move(buffers));
  if (!instance) return tl::unexpected(instance.error());
  question.instance = *std::move(instance);
  return question;
}

// A device without a name is the one of --capacity BYTES.
std::string device_names(std::span<const Device> devices) {
  std::string names;
  for (const Device& device : devices) {
    if (device.name.empty()) continue;
    names += (names.empty() ? "'" : ", '") + device.name + "'";
  }
  return names.empty() ? "none that has a name" : names;
}

Result<Question> limit_devices(Question question, const InputFile& file,
                               const PlanOptions& options) {
  const auto old = question.instance.devices();
  std::vector<Device> devices(old.begin(), old.end());
  for (Device& device : devices) {
    device.reserve = options.reserve;
    device.beside = beside_of(question.kept, device.name, question.instance.unit());
  }
  // A device's own entry wins over the one for all.
  for (const bool own : {false, true}) {
    for (const auto& [name, bytes] : options.capacity) {
      bool is_met = name.empty();
      for (Device& device : devices) {
        if (own == name.empty() || (own && device.name != name)) continue;
        device.capacity = bytes;
        is_met = true;
      }
      is_met = is_met || std::ranges::any_of(question.kept, [&](const KeptTensor& kept) {
                 return kept.device == name;
               });
      if (own && !is_met) {
        return usage_error("--capacity", fmt::format("{} has no device '{}'", file.path, name),
                           "it has " + device_names(devices));
      }
    }
  }
  const auto buffers = question.instance.buffers();
  const auto names = question.instance.step_names();
  auto instance = Instance::make(std::move(devices), {buffers.begin(), buffers.end()},
                                 question.instance.unit(), {names.begin(), names.end()});
  if (!instance) return tl::unexpected(instance.error());
  question.instance = *std::move(instance);
  return question;
}

// Where each buffer goes when some are dropped.
using Image = std::vector<std::optional<BufferId>>;

// Rows are dropped before any of them share bytes.
void renumber(TableForm& form, const Image& image) {
  assert(form.members.empty());
  for (auto& row : form.table.rows) row = row ? image[row->index()] : row;
}

void renumber(ScheduleForm& form, const Image& image) {
  std::vector<OpId> ops;
  for (std::size_t i = 0; i < form.ops.size(); ++i) {
    if (image[i]) ops.push_back(form.ops[i]);
  }
  form.ops = std::move(ops);
}

// Members refer only to members of their own buffer, which stay or go together.
void renumber(ModelForm& form, const Image& image) {
  std::vector<Member> members;
  std::vector<std::size_t> member_image;
  for (Member& member : form.members) {
    member_image.push_back(members.size());
    const auto buffer = image[member.buffer.index()];
    if (!buffer) continue;
    member.buffer = *buffer;
    members.push_back(std::move(member));
  }
  for (Member& member : members) {
    if (member.view_of) member.view_of = member_image[*member.view_of];
    if (member.reuses) member.reuses = member_image[*member.reuses];
  }
  form.members = std::move(members);
}

}  // namespace

std::span<const Member> members_of(const Question& question) {
  if (const auto* table = std::get_if<TableForm>(&question.form)) return table->members;
  if (const auto* model = std::get_if<ModelForm>(&question.form)) return model->members;
  return {};
}

Result<Question> without_buffers(Question question, const std::vector<bool>& dropped) {
  std::vector<Buffer> buffers;
  Image image(question.instance.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (dropped[i]) continue;
    image[i] = BufferId(buffers.size());
    buffers.push_back(question.instance[BufferId(i)]);
  }
  auto instance = with_buffers(question.instance, std::move(buffers));
  if (!instance) return tl::unexpected(instance.error());
  question.instance = *std::move(instance);
  std::visit([&](auto& form) { renumber(form, image); }, question.form);
  return question;
}

Result<Question> read_question(const InputFile& file, const PlanOptions& options) {
  auto question = read_form(file, options);
  if (question && !options.scratch.empty()) {
    question = add_scratch(*std::move(question), file, options);
  }
  if (!question) return question;
  return limit_devices(*std::move(question), file, options);
}

}  // namespace berth

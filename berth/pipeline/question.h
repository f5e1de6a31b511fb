#pragma once

#include <string>
#include <variant>
#include <vector>

#include "berth/base/result.h"
#include "berth/formats/instance_csv.h"
#include "berth/ir/instance.h"
#include "berth/ir/plan.h"
#include "berth/ir/program.h"
#include "berth/ir/schedule.h"
#include "berth/live/member.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// A table, and its rows where they share bytes, each in a planned buffer; else a buffer is a row.
struct TableForm {
  InstanceTable table;
  std::vector<Member> members{};
};

// A schedule, and the nodes of its planned buffers by BufferId.
struct ScheduleForm {
  Schedule schedule;
  std::vector<OpId> ops;
};

// A model's tensors, each in a planned buffer.
struct ModelForm {
  std::vector<Member> members;
  Program program{};  // its steps in the order of the question
};

// A file as a packing problem, with what is needed to say the answer in the file's own terms.
struct Question {
  Instance instance;  // scratch comes after the file's own buffers
  std::vector<KeptTensor> kept;
  std::variant<TableForm, ScheduleForm, ModelForm> form;
  std::vector<std::string> notes;  // what its reader should know
  PhaseOrder order{};              // of a model's steps; empty: that of the file
  std::optional<std::string>
      order_fault{};  // why the order that was asked for is none of these steps
  std::vector<NamedPermission> permissions{};  // to share bytes, granted or not
  // What takes memory that the file does not tell, and by estimate how much of it a runtime takes.
  std::vector<std::string> not_counted{};
  std::optional<Bytes> estimate{};
};

// Those that a form tells row by row; empty where each buffer is a row.
std::span<const Member> members_of(const Question& question);

// Refuses what the file's reader refuses, kinds of file that cannot be planned, and options that
// name a device, step or buffer that the file does not have.
Result<Question> read_question(const InputFile& file, const PlanOptions& options);

// The question without the buffers that are `dropped`, by BufferId.
Result<Question> without_buffers(Question question, const std::vector<bool>& dropped);

}  // namespace berth

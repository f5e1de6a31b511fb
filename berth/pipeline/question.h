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
#include "berth/live/program_lives.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

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
  std::variant<InstanceTable, ScheduleForm, ModelForm> form;
  std::vector<std::string> notes;  // what its reader should know
  PhaseOrder order{};              // of a model's steps; empty: that of the file
  std::optional<std::string>
      order_fault{};  // why the order that was asked for is none of these steps
};

// Refuses what the file's reader refuses, kinds of file that cannot be planned, and options that
// name a device, step or buffer that the file does not have.
Result<Question> read_question(const InputFile& file, const PlanOptions& options);

// The question without the buffers that are `dropped`, by BufferId.
Result<Question> without_buffers(Question question, const std::vector<bool>& dropped);

}  // namespace berth

#include "berth/pipeline/check_reason_file.h"

#include "berth/formats/json.h"
#include "berth/formats/reason_json.h"
#include "berth/pipeline/question.h"

namespace berth {

Result<CheckedReason> check_reason_file(const InputFile& file,
                                        const std::optional<InputFile>& input,
                                        const PlanOptions& options) {
  if (kind_of(file.content) != InputKind::ReasonJson) {
    return input_error(file.path, "holds no reason",
                       "expected \"format\": \"berth.reason/1\", as 'berth plan --reason' writes");
  }
  const auto document = JsonDocument::parse(file.content, file.path);
  if (!document) return tl::unexpected(document.error());
  const auto reason = read_reason(*document);
  if (!reason) return tl::unexpected(reason.error());
  CheckedReason checked{check_reason(*reason), std::nullopt};
  if (input) {
    const auto question = read_question(*input, options);
    if (!question) return tl::unexpected(question.error());
    checked.mismatch = find_reason_mismatch(*reason, question->instance);
  }
  return checked;
}

}  // namespace berth

#include "capture/opencl/recorder.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

namespace berth::opencl {
namespace {

constexpr std::uint64_t kPage = 4096;

// Of the process that is recorded. Its lock may be held there for ever, and the file is not its
// own.
std::atomic<bool> is_child = false;
constexpr cl_uint kMostParameters = 4096;
constexpr std::size_t kHandleBytes = sizeof(void*);

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string hex(const void* pointer) {
  return hex(reinterpret_cast<std::uint64_t>(pointer));
}

std::string access_text(Access access) {
  return {':', static_cast<char>(access)};
}

// An argument's bytes, as they stand in memory; those of one that is too large are left out.
std::string struct_text(std::size_t bytes, const void* value) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "s" + std::to_string(bytes);
  if (bytes > kMost) return text;
  text += ':';
  const auto* content = static_cast<const unsigned char*>(value);
  for (std::size_t i = 0; i < bytes; ++i) {
    text += kDigits[content[i] >> 4];
    text += kDigits[content[i] & 15];
  }
  return text;
}

std::string line(std::initializer_list<std::string_view> cells) {
  std::string text;
  for (const std::string_view cell : cells) {
    if (!text.empty()) text += ',';
    text += cell;
  }
  return text;
}

Access access_of(cl_mem_flags flags) {
  if ((flags & CL_MEM_READ_ONLY) != 0) return Access::Read;
  if ((flags & CL_MEM_WRITE_ONLY) != 0) return Access::Write;
  return Access::Both;
}

// What `query` (clGetMemObjectInfo and its like) says of one object; nothing where it says nothing.
template <typename T, typename Query, typename Object, typename... Item>
std::optional<T> asked(Query query, Object object, Item... item) {
  T value{};
  if (query == nullptr) return std::nullopt;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): where it is a handle, its own bytes are asked for
  if (query(object, item..., sizeof value, &value, nullptr) != CL_SUCCESS) return std::nullopt;
  return value;
}

}  // namespace

struct Recorder::MadeMemory {
  bool is_known = false;
  cl_mem whole = nullptr;
  std::size_t offset = 0;  // in it
  std::size_t bytes = 0;
  cl_mem_flags flags = 0;
  const void* host = nullptr;  // the bytes themselves, where the program gave them
};

bool Recorder::open(const cl_icd_dispatch& driver, const std::string& path) {
  driver_ = &driver;
  is_child = false;
  if (::pthread_atfork(nullptr, nullptr, [] { is_child = true; }) != 0) return false;
  return trace_.open(path);
}

bool Recorder::is_watching() const {
  return driver_ != nullptr && !is_child;
}

void Recorder::end() {
  const std::lock_guard lock(mutex_);
  trace_.add("end");
}

void Recorder::queue_made(cl_command_queue queue) {
  const auto properties = asked<cl_command_queue_properties>(
      driver_->clGetCommandQueueInfo, queue, cl_command_queue_info{CL_QUEUE_PROPERTIES});
  const bool in_order = properties && (*properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  const std::lock_guard lock(mutex_);
  add_queue(queue, in_order);
}

void Recorder::add_queue(cl_command_queue queue, bool in_order) {
  const std::size_t number = ++queues_;
  queue_of_[queue] = number;
  trace_.add(line({"queue", std::to_string(number), in_order ? "in-order" : "out-of-order"}));
}

// A queue that was made behind our back may do anything.
std::size_t Recorder::number_of(cl_command_queue queue) {
  if (!queue_of_.contains(queue)) add_queue(queue, false);
  return queue_of_[queue];
}

Recorder::MadeMemory Recorder::ask_about(cl_mem memory) const {
  const auto info = driver_->clGetMemObjectInfo;
  MadeMemory made;
  const auto bytes = asked<std::size_t>(info, memory, cl_mem_info{CL_MEM_SIZE});
  made.is_known = bytes && *bytes > 0;
  made.bytes = bytes.value_or(0);
  made.flags = asked<cl_mem_flags>(info, memory, cl_mem_info{CL_MEM_FLAGS}).value_or(0);
  made.whole =
      asked<cl_mem>(info, memory, cl_mem_info{CL_MEM_ASSOCIATED_MEMOBJECT}).value_or(nullptr);
  made.offset = asked<std::size_t>(info, memory, cl_mem_info{CL_MEM_OFFSET}).value_or(0);
  const auto type = asked<cl_mem_object_type>(info, memory, cl_mem_info{CL_MEM_TYPE});
  if (type == cl_mem_object_type{CL_MEM_OBJECT_BUFFER} && (made.flags & CL_MEM_USE_HOST_PTR) != 0) {
    made.host = asked<void*>(info, memory, cl_mem_info{CL_MEM_HOST_PTR}).value_or(nullptr);
  }
  return made;
}

void Recorder::memory_made(cl_mem memory) {
  const MadeMemory made = ask_about(memory);
  const std::lock_guard lock(mutex_);
  // The driver may give a name again once its object is gone.
  memory_of_.erase(memory);
  std::erase_if(mapped_, [&](const auto& known) { return known.first.first == memory; });
  if (made.is_known) add_memory(memory, made);
}

void Recorder::add_memory(cl_mem memory, const MadeMemory& made) {
  Memory known = {memories_ + 1, 0, made.bytes, access_of(made.flags)};
  const std::string number = std::to_string(known.number);
  const auto whole = memory_of_.find(made.whole);
  if (made.whole != nullptr && whole != memory_of_.end() && made.offset < whole->second.bytes) {
    // An image may be said to be larger than the buffer that it is made of.
    known.bytes = std::min(made.bytes, whole->second.bytes - made.offset);
    known.address = whole->second.address + made.offset;
    trace_.add(line({"part", number, std::to_string(whole->second.number),
                     std::to_string(made.offset), std::to_string(known.bytes)}));
  } else {
    known.address =
        made.host != nullptr ? reinterpret_cast<std::uint64_t>(made.host) : next_address_;
    if (made.host == nullptr) next_address_ += (made.bytes / kPage + 2) * kPage;
    trace_.add(line({"buffer", number, hex(known.address), std::to_string(made.bytes)}));
    if ((made.flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0) {
      trace_.add(line({"write", "0", "m" + number + ":w"}));
    }
  }
  ++memories_;
  memory_of_[memory] = known;
}

void Recorder::svm_made(const void* pointer, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto first = reinterpret_cast<std::uint64_t>(pointer);
  std::erase_if(mapped_, [&](const auto& known) {
    const auto& [memory, at] = known.first;
    return memory == nullptr && reinterpret_cast<std::uint64_t>(at) - first < bytes;
  });
  trace_.add(line({"svm", std::to_string(++memories_), hex(pointer), std::to_string(bytes)}));
}

void Recorder::kernel_made(cl_kernel kernel) {
  std::size_t length = 0;
  std::string name;
  const auto info = driver_->clGetKernelInfo;
  if (info(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &length) == CL_SUCCESS && length > 1) {
    name.resize(length);
    if (info(kernel, CL_KERNEL_FUNCTION_NAME, length, name.data(), nullptr) != CL_SUCCESS)
      name = "";
    name.resize(std::strlen(name.data()));
  }
  const std::lock_guard lock(mutex_);
  kernel_of_[kernel] = {std::move(name), {}, {}, {}};
}

void Recorder::kernel_cloned(cl_kernel clone, cl_kernel source) {
  const std::lock_guard lock(mutex_);
  Kernel copy = kernel_of_[source];
  kernel_of_[clone] = std::move(copy);
}

Recorder::Parameter Recorder::ask_about(cl_kernel kernel, cl_uint index) const {
  const auto info = driver_->clGetKernelArgInfo;
  const auto space = asked<cl_kernel_arg_address_qualifier>(
      info, kernel, index, cl_kernel_arg_info{CL_KERNEL_ARG_ADDRESS_QUALIFIER});
  const auto image = asked<cl_kernel_arg_access_qualifier>(
      info, kernel, index, cl_kernel_arg_info{CL_KERNEL_ARG_ACCESS_QUALIFIER});
  const auto type = asked<cl_kernel_arg_type_qualifier>(
      info, kernel, index, cl_kernel_arg_info{CL_KERNEL_ARG_TYPE_QUALIFIER});
  Parameter parameter;
  if (!space || !image || !type) return parameter;
  const bool is_image = *image != CL_KERNEL_ARG_ACCESS_NONE;
  const bool is_pipe = (*type & CL_KERNEL_ARG_TYPE_PIPE) != 0;
  parameter.is_number = *space == CL_KERNEL_ARG_ADDRESS_PRIVATE && !is_image && !is_pipe;
  const bool is_constant =
      *space == CL_KERNEL_ARG_ADDRESS_CONSTANT || (*type & CL_KERNEL_ARG_TYPE_CONST) != 0;
  if (is_constant || *image == CL_KERNEL_ARG_ACCESS_READ_ONLY) parameter.access = Access::Read;
  if (*image == CL_KERNEL_ARG_ACCESS_WRITE_ONLY) parameter.access = Access::Write;
  return parameter;
}

// Asked once: a kernel's parameters stay what they are.
Recorder::Parameter Recorder::parameter_of(cl_kernel kernel, cl_uint index) {
  {
    const std::lock_guard lock(mutex_);
    const auto& known = kernel_of_[kernel].parameters;
    if (index < known.size() && known[index]) return *known[index];
  }
  const Parameter parameter = ask_about(kernel, index);
  const std::lock_guard lock(mutex_);
  Kernel& of = kernel_of_[kernel];
  if (index >= of.parameters.size()) {
    of.parameters.resize(index + 1);
    of.words.resize(index + 1);
  }
  of.parameters[index] = parameter;
  return parameter;
}

void Recorder::argument_set(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) {
  if (index >= kMostParameters) return;
  const Parameter parameter = parameter_of(kernel, index);
  const std::lock_guard lock(mutex_);
  kernel_of_[kernel].words[index] = word_of(parameter, bytes, value);
}

// Without a value it is memory of the work group's own, or none.
std::string Recorder::word_of(const Parameter& parameter, std::size_t bytes,
                              const void* value) const {
  if (value == nullptr) return "";
  if (bytes == kHandleBytes && !parameter.is_number) {
    cl_mem memory = nullptr;
    std::memcpy(&memory, value, kHandleBytes);
    const auto found = memory_of_.find(memory);
    if (found != memory_of_.end()) {
      const Access access =
          found->second.access != Access::Both ? found->second.access : parameter.access;
      return "m" + std::to_string(found->second.number) + access_text(access);
    }
  }
  if (bytes > sizeof(std::uint64_t)) return struct_text(bytes, value);
  std::uint64_t number = 0;
  std::memcpy(&number, value, bytes);
  return "v" + std::to_string(number);
}

void Recorder::pointer_set(cl_kernel kernel, cl_uint index, const void* pointer) {
  if (index >= kMostParameters) return;
  const Parameter parameter = parameter_of(kernel, index);
  const std::lock_guard lock(mutex_);
  kernel_of_[kernel].words[index] = "p" + hex(pointer) + access_text(parameter.access);
}

void Recorder::reached_set(cl_kernel kernel, const void* const* pointers, std::size_t count) {
  std::vector<std::string> reached;
  for (std::size_t i = 0; i < count; ++i) {
    reached.push_back("p" + hex(pointers[i]) + access_text(Access::Both));
  }
  const std::lock_guard lock(mutex_);
  kernel_of_[kernel].reached = std::move(reached);
}

void Recorder::launched(cl_command_queue queue, cl_kernel kernel) {
  const std::lock_guard lock(mutex_);
  const Kernel& run = kernel_of_[kernel];
  std::string text = line({"kernel", std::to_string(number_of(queue)), cell(run.name)});
  for (const auto* words : {&run.words, &run.reached}) {
    for (const std::string& word : *words) {
      if (!word.empty()) text += "," + word;
    }
  }
  trace_.add(std::move(text));
}

void Recorder::touched(const char* what, cl_command_queue queue,
                       const std::vector<Touch>& touches) {
  const std::lock_guard lock(mutex_);
  add_touches(what, queue, touches);
}

void Recorder::mapped(cl_command_queue queue, const void* at, const Touch& touch) {
  const std::lock_guard lock(mutex_);
  add_touches("map", queue, {touch});
  mapped_.emplace(std::pair(touch.memory, at), touch);
}

// What the host has done to the bytes, it has done by now, and the rest of them is as it was. Of
// bytes that were mapped behind our back it is not known which they are.
void Recorder::unmapped(cl_command_queue queue, cl_mem memory, const void* at) {
  const std::lock_guard lock(mutex_);
  Touch touch = {memory, memory == nullptr ? at : nullptr};
  const auto known = mapped_.upper_bound(std::pair(memory, at));  // the last of them is before it
  if (known != mapped_.begin() && std::prev(known)->first == std::pair(memory, at)) {
    touch = std::prev(known)->second;
    if (touch.access != Access::Read) touch.access = Access::Both;
    mapped_.erase(std::prev(known));
  }
  add_touches("unmap", queue, {touch});
}

void Recorder::add_touches(const char* what, cl_command_queue queue,
                           const std::vector<Touch>& touches) {
  std::string text = line({what, queue == nullptr ? "0" : std::to_string(number_of(queue))});
  for (const Touch& touch : touches) {
    const std::string word = word_of(touch);
    if (!word.empty()) text += "," + word;
  }
  trace_.add(std::move(text));
}

std::string Recorder::word_of(const Touch& touch) const {
  if (touch.memory == nullptr) {
    return "p" + hex(touch.pointer) + access_text(touch.access) +
           (touch.part ? ":" + std::to_string(touch.part->bytes) : "");
  }
  const auto found = memory_of_.find(touch.memory);
  if (found == memory_of_.end()) return "";
  const Memory& memory = found->second;
  const std::string word = "m" + std::to_string(memory.number);
  const auto& part = touch.part;
  // A driver that accepts bytes past the end has touched who knows what.
  if (part && (part->offset > memory.bytes || part->bytes > memory.bytes - part->offset)) {
    return word + access_text(Access::Both);
  }
  if (!part) return word + access_text(touch.access);
  return word + access_text(touch.access) + ":" + std::to_string(part->offset) + ":" +
         std::to_string(part->bytes);
}

}  // namespace berth::opencl

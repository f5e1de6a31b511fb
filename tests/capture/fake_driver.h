#pragma once

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "capture/opencl/recorder.h"

// A driver that runs nothing: objects are numbers, and what a call answers is set by the test.
namespace berth::test {

struct FakeMemory {
  std::size_t bytes = 0;
  cl_mem_flags flags = 0;
  void* host = nullptr;
  cl_mem whole = nullptr;
  std::size_t offset = 0;
};
struct FakeParameter {
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_GLOBAL;
  cl_kernel_arg_type_qualifier type = CL_KERNEL_ARG_TYPE_NONE;
};

struct FakeDriver {
  cl_int status = CL_SUCCESS;      // of what is enqueued, and of arguments
  FakeMemory next_memory;          // what the next one made is
  std::uintptr_t next_handle = 0;  // of the next object made; 0: a new one
  std::string kernel_name = "k";
  std::vector<FakeParameter> parameters;  // of every kernel; none: the driver does not tell
};
inline FakeDriver fake;

template <typename Handle>
Handle fake_handle() {
  static std::atomic<std::uintptr_t> last = 0x1000;
  const std::uintptr_t asked = fake.next_handle;
  if (asked != 0) fake.next_handle = 0;
  return reinterpret_cast<Handle>(asked != 0 ? asked : last += 16);  // NOLINT: nobody looks there
}

template <typename T>
cl_int fake_answer(T value, std::size_t room, void* to) {
  if (room < sizeof value) return CL_INVALID_VALUE;
  std::memcpy(to, &value, sizeof value);
  return CL_SUCCESS;
}

inline cl_mem fake_buffer(cl_context, cl_mem_flags flags, std::size_t bytes, void* host,
                          cl_int* status) {
  if (status != nullptr) *status = fake.status;
  if (fake.status != CL_SUCCESS) return nullptr;
  fake.next_memory = {bytes, flags, host, nullptr, 0};
  return fake_handle<cl_mem>();
}
inline cl_mem fake_part(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type, const void* region,
                        cl_int*) {
  const auto* place = static_cast<const cl_buffer_region*>(region);
  fake.next_memory = {place->size, flags, nullptr, whole, place->origin};
  return fake_handle<cl_mem>();
}
// Asked of what was just made alone.
inline cl_int fake_memory_info(cl_mem, cl_mem_info item, std::size_t room, void* to, std::size_t*) {
  const FakeMemory& memory = fake.next_memory;
  switch (item) {
    case CL_MEM_SIZE:
      return fake_answer(memory.bytes, room, to);
    case CL_MEM_FLAGS:
      return fake_answer(memory.flags, room, to);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
      return fake_answer(memory.whole, room, to);
    case CL_MEM_OFFSET:
      return fake_answer(memory.offset, room, to);
    case CL_MEM_HOST_PTR:
      return fake_answer(memory.host, room, to);
    case CL_MEM_TYPE:
      return fake_answer(cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, room, to);
    default:
      return CL_INVALID_VALUE;
  }
}

inline cl_command_queue fake_queue(cl_context, cl_device_id, const cl_queue_properties*, cl_int*) {
  return fake_handle<cl_command_queue>();
}
inline cl_int fake_queue_info(cl_command_queue, cl_command_queue_info, std::size_t room, void* to,
                              std::size_t*) {
  return fake_answer(cl_command_queue_properties{0}, room, to);
}

inline cl_kernel fake_kernel(cl_program, const char*, cl_int*) {
  return fake_handle<cl_kernel>();
}
inline cl_kernel fake_clone(cl_kernel, cl_int*) {
  return fake_handle<cl_kernel>();
}
inline cl_int fake_kernel_info(cl_kernel, cl_kernel_info, std::size_t room, void* to,
                               std::size_t* bytes) {
  const std::size_t needed = fake.kernel_name.size() + 1;
  if (bytes != nullptr) *bytes = needed;
  if (to != nullptr && room >= needed) std::memcpy(to, fake.kernel_name.c_str(), needed);
  return CL_SUCCESS;
}
inline cl_int fake_parameter_info(cl_kernel, cl_uint index, cl_kernel_arg_info item,
                                  std::size_t room, void* to, std::size_t*) {
  if (index >= fake.parameters.size()) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  const FakeParameter& parameter = fake.parameters[index];
  if (item == CL_KERNEL_ARG_ADDRESS_QUALIFIER) return fake_answer(parameter.space, room, to);
  if (item == CL_KERNEL_ARG_TYPE_QUALIFIER) return fake_answer(parameter.type, room, to);
  return fake_answer(cl_kernel_arg_access_qualifier{CL_KERNEL_ARG_ACCESS_NONE}, room, to);
}

inline cl_int fake_argument(cl_kernel, cl_uint, std::size_t, const void*) {
  return fake.status;
}
inline cl_int fake_pointer(cl_kernel, cl_uint, const void*) {
  return fake.status;
}
inline cl_int fake_reached(cl_kernel, cl_kernel_exec_info, std::size_t, const void*) {
  return fake.status;
}
inline cl_int fake_launch(cl_command_queue, cl_kernel, cl_uint, const std::size_t*,
                          const std::size_t*, const std::size_t*, cl_uint, const cl_event*,
                          cl_event*) {
  return fake.status;
}
inline cl_int fake_write(cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, const void*,
                         cl_uint, const cl_event*, cl_event*) {
  return fake.status;
}
inline cl_int fake_box_read(cl_command_queue, cl_mem, cl_bool, const std::size_t*,
                            const std::size_t*, const std::size_t*, std::size_t, std::size_t,
                            std::size_t, std::size_t, void*, cl_uint, const cl_event*, cl_event*) {
  return fake.status;
}
inline void* fake_map(cl_command_queue, cl_mem, cl_bool, cl_map_flags, std::size_t, std::size_t,
                      cl_uint, const cl_event*, cl_event*, cl_int*) {
  static char mapped[1];
  return fake.status == CL_SUCCESS ? mapped : nullptr;
}
inline cl_int fake_unmap(cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*) {
  return fake.status;
}
inline cl_int fake_svm_map(cl_command_queue, cl_bool, cl_map_flags, void*, std::size_t, cl_uint,
                           const cl_event*, cl_event*) {
  return fake.status;
}
inline cl_int fake_svm_unmap(cl_command_queue, void*, cl_uint, const cl_event*, cl_event*) {
  return fake.status;
}
inline void* fake_svm(cl_context, cl_svm_mem_flags, std::size_t, cl_uint) {
  return reinterpret_cast<void*>(fake.next_handle);  // NOLINT
}
inline cl_int fake_svm_copy(cl_command_queue, cl_bool, void*, const void*, std::size_t, cl_uint,
                            const cl_event*, cl_event*) {
  return fake.status;
}
inline cl_int fake_finish(cl_command_queue) {
  return fake.status;
}

// What it does not know is absent, as with an old driver.
inline cl_icd_dispatch fake_table() {
  cl_icd_dispatch table{};
  table.clCreateBuffer = fake_buffer;
  table.clCreateSubBuffer = fake_part;
  table.clGetMemObjectInfo = fake_memory_info;
  table.clCreateCommandQueueWithProperties = fake_queue;
  table.clGetCommandQueueInfo = fake_queue_info;
  table.clCreateKernel = fake_kernel;
  table.clCloneKernel = fake_clone;
  table.clGetKernelInfo = fake_kernel_info;
  table.clGetKernelArgInfo = fake_parameter_info;
  table.clSetKernelArg = fake_argument;
  table.clSetKernelArgSVMPointer = fake_pointer;
  table.clSetKernelExecInfo = fake_reached;
  table.clEnqueueNDRangeKernel = fake_launch;
  table.clEnqueueWriteBuffer = fake_write;
  table.clEnqueueReadBufferRect = fake_box_read;
  table.clEnqueueMapBuffer = fake_map;
  table.clEnqueueUnmapMemObject = fake_unmap;
  table.clEnqueueSVMMap = fake_svm_map;
  table.clEnqueueSVMUnmap = fake_svm_unmap;
  table.clSVMAlloc = fake_svm;
  table.clEnqueueSVMMemcpy = fake_svm_copy;
  table.clFinish = fake_finish;
  return table;
}

}  // namespace berth::test

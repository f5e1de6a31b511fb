// The layer: it stands between the OpenCL loader and the driver, passes every call on, and tells
// the recorder of those that succeeded. Loaded by the name in OPENCL_LAYERS; records where
// BERTH_CAPTURE says.

#include <CL/cl_layer.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "capture/opencl/recorder.h"

namespace berth::opencl {
namespace {

cl_icd_dispatch driver;  // what calls are passed on to
cl_icd_dispatch layer;   // what is called instead

// Never destroyed: threads of the program may call while it exits.
Recorder& recorder() {
  static auto* const only = new Recorder;
  return *only;
}

bool succeeded(cl_int status) {
  return status == CL_SUCCESS;
}
template <typename T>
bool succeeded(T* made) {
  return made != nullptr;
}

// What the recorder cannot do is no business of the program: not its memory, nor its errno.
template <typename Note>
void recorded(const Note& note) noexcept {
  const int before = errno;
  try {
    if (recorder().is_watching()) note();
  } catch (...) {
  }
  errno = before;
}

// A call that is passed on, and then told by `note`, which is given its result and its arguments.
template <auto member, auto note>
struct Call;
template <typename R, typename... Args, R (*cl_icd_dispatch::*member)(Args...), auto note>
struct Call<member, note> {
  static R through(Args... args) {
    const R result = (driver.*member)(args...);
    if (succeeded(result)) recorded([&] { note(result, args...); });
    return result;
  }
  static void put() {
    if (driver.*member != nullptr) layer.*member = through;
  }
};

// Objects. What follows the object made is whatever the program gave.
template <typename... Rest>
void queue_made(cl_command_queue made, Rest...) {
  recorder().queue_made(made);
}
template <typename... Rest>
void memory_made(cl_mem made, Rest...) {
  recorder().memory_made(made);
}
template <typename... Rest>
void kernel_made(cl_kernel made, Rest...) {
  recorder().kernel_made(made);
}
void svm_made(void* made, cl_context, cl_svm_mem_flags, std::size_t bytes, cl_uint) {
  recorder().svm_made(made, bytes);
}
void kernel_cloned(cl_kernel made, cl_kernel source, cl_int*) {
  recorder().kernel_cloned(made, source);
}

// The program may give room for more kernels than there are.
void kernels_made(cl_int, cl_program program, cl_uint room, cl_kernel* kernels, cl_uint*) {
  std::size_t count = 0;
  if (kernels == nullptr || driver.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count,
                                                    &count, nullptr) != CL_SUCCESS) {
    return;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(room, count); ++i) {
    recorder().kernel_made(kernels[i]);
  }
}

// Arguments.
void argument_set(cl_int, cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) {
  recorder().argument_set(kernel, index, bytes, value);
}
void pointer_set(cl_int, cl_kernel kernel, cl_uint index, const void* pointer) {
  recorder().pointer_set(kernel, index, pointer);
}
void reached_set(cl_int, cl_kernel kernel, cl_kernel_exec_info item, std::size_t bytes,
                 const void* value) {
  if (item != CL_KERNEL_EXEC_INFO_SVM_PTRS || value == nullptr) return;
  recorder().reached_set(kernel, static_cast<const void* const*>(value), bytes / sizeof(void*));
}

// Kernels.
template <typename... Rest>
void launched(cl_int, cl_command_queue queue, cl_kernel kernel, Rest...) {
  recorder().launched(queue, kernel);
}
void native_run(cl_int, cl_command_queue queue, void (*)(void*), void*, std::size_t, cl_uint count,
                const cl_mem* memories, const void**, cl_uint, const cl_event*, cl_event*) {
  std::vector<Touch> touches;
  for (cl_uint i = 0; i < count; ++i) touches.push_back({memories[i]});
  recorder().touched("native", queue, touches);
}

// Bytes moved and filled. What the host does to what is mapped, it does before the next command
// that may touch it.
Access access_of(cl_map_flags flags) {
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0) return Access::Write;
  return (flags & CL_MAP_WRITE) != 0 ? Access::Both : Access::Read;
}

template <typename... Rest>
void buffer_read(cl_int, cl_command_queue queue, cl_mem from, cl_bool, std::size_t offset,
                 std::size_t bytes, Rest...) {
  recorder().touched("read", queue, {{from, nullptr, Access::Read, Part{offset, bytes}}});
}
template <typename... Rest>
void buffer_written(cl_int, cl_command_queue queue, cl_mem to, cl_bool, std::size_t offset,
                    std::size_t bytes, Rest...) {
  recorder().touched("write", queue, {{to, nullptr, Access::Write, Part{offset, bytes}}});
}
template <typename... Rest>
void buffer_copied(cl_int, cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset,
                   std::size_t to_offset, std::size_t bytes, Rest...) {
  recorder().touched("copy", queue,
                     {{from, nullptr, Access::Read, Part{from_offset, bytes}},
                      {to, nullptr, Access::Write, Part{to_offset, bytes}}});
}
template <typename... Rest>
void buffer_filled(cl_int, cl_command_queue queue, cl_mem to, const void*, std::size_t,
                   std::size_t offset, std::size_t bytes, Rest...) {
  recorder().touched("fill", queue, {{to, nullptr, Access::Write, Part{offset, bytes}}});
}
template <typename... Rest>
void buffer_mapped(void* at, cl_command_queue queue, cl_mem memory, cl_bool, cl_map_flags flags,
                   std::size_t offset, std::size_t bytes, Rest...) {
  recorder().mapped(queue, at, {memory, nullptr, access_of(flags), Part{offset, bytes}});
}
void memory_unmapped(cl_int, cl_command_queue queue, cl_mem memory, void* at, cl_uint,
                     const cl_event*, cl_event*) {
  recorder().unmapped(queue, memory, at);
}

// From the first byte of a box to its last; only a box without gaps is written whole.
struct Box {
  const std::size_t* origin;
  const std::size_t* region;
  std::size_t row;
  std::size_t slice;

  std::size_t row_bytes() const { return row != 0 ? row : region[0]; }
  std::size_t slice_bytes() const { return slice != 0 ? slice : region[1] * row_bytes(); }
  bool has_gaps() const {
    return row_bytes() != region[0] || slice_bytes() != region[1] * region[0];
  }
  Part part() const {
    return {origin[0] + origin[1] * row_bytes() + origin[2] * slice_bytes(),
            region[0] + (region[1] - 1) * row_bytes() + (region[2] - 1) * slice_bytes()};
  }
  Touch read_from(cl_mem memory) const { return {memory, nullptr, Access::Read, part()}; }
  Touch written_to(cl_mem memory) const {
    return {memory, nullptr, has_gaps() ? Access::Both : Access::Write, part()};
  }
};

template <typename... Rest>
void box_read(cl_int, cl_command_queue queue, cl_mem from, cl_bool, const std::size_t* origin,
              const std::size_t*, const std::size_t* region, std::size_t row, std::size_t slice,
              Rest...) {
  recorder().touched("read", queue, {Box{origin, region, row, slice}.read_from(from)});
}
template <typename... Rest>
void box_written(cl_int, cl_command_queue queue, cl_mem to, cl_bool, const std::size_t* origin,
                 const std::size_t*, const std::size_t* region, std::size_t row, std::size_t slice,
                 Rest...) {
  recorder().touched("write", queue, {Box{origin, region, row, slice}.written_to(to)});
}
template <typename... Rest>
void box_copied(cl_int, cl_command_queue queue, cl_mem from, cl_mem to,
                const std::size_t* from_origin, const std::size_t* to_origin,
                const std::size_t* region, std::size_t from_row, std::size_t from_slice,
                std::size_t to_row, std::size_t to_slice, Rest...) {
  recorder().touched("copy", queue,
                     {Box{from_origin, region, from_row, from_slice}.read_from(from),
                      Box{to_origin, region, to_row, to_slice}.written_to(to)});
}

// Of an image it is not said which of its bytes a box of it is.
template <typename... Rest>
void image_read(cl_int, cl_command_queue queue, cl_mem from, Rest...) {
  recorder().touched("read", queue, {{from, nullptr, Access::Read}});
}
template <typename... Rest>
void image_written(cl_int, cl_command_queue queue, cl_mem to, Rest...) {
  recorder().touched("write", queue, {{to, nullptr, Access::Both}});
}
template <typename... Rest>
void image_filled(cl_int, cl_command_queue queue, cl_mem to, Rest...) {
  recorder().touched("fill", queue, {{to, nullptr, Access::Both}});
}
template <typename... Rest>
void image_copied(cl_int, cl_command_queue queue, cl_mem from, cl_mem to, Rest...) {
  recorder().touched("copy", queue, {{from, nullptr, Access::Read}, {to, nullptr, Access::Both}});
}
template <typename... Rest>
void image_mapped(void* at, cl_command_queue queue, cl_mem image, cl_bool, cl_map_flags flags,
                  Rest...) {
  const bool is_read = access_of(flags) == Access::Read;
  recorder().mapped(queue, at, {image, nullptr, is_read ? Access::Read : Access::Both});
}

// Shared memory.
void svm_copied(cl_int, cl_command_queue queue, cl_bool, void* to, const void* from,
                std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
  recorder().touched("copy", queue,
                     {{nullptr, from, Access::Read, Part{0, bytes}},
                      {nullptr, to, Access::Write, Part{0, bytes}}});
}
void svm_filled(cl_int, cl_command_queue queue, void* to, const void*, std::size_t,
                std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
  recorder().touched("fill", queue, {{nullptr, to, Access::Write, Part{0, bytes}}});
}
void svm_mapped(cl_int, cl_command_queue queue, cl_bool, cl_map_flags flags, void* pointer,
                std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
  recorder().mapped(queue, pointer, {nullptr, pointer, access_of(flags), Part{0, bytes}});
}
void svm_unmapped(cl_int, cl_command_queue queue, void* pointer, cl_uint, const cl_event*,
                  cl_event*) {
  recorder().unmapped(queue, nullptr, pointer);
}

template <auto member, auto note>
void put() {
  Call<member, note>::put();
}

using Table = cl_icd_dispatch;

void put_objects() {
  put<&Table::clCreateCommandQueue, [](auto... all) { queue_made(all...); }>();
  put<&Table::clCreateCommandQueueWithProperties, [](auto... all) { queue_made(all...); }>();
  put<&Table::clCreateBuffer, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateBufferWithProperties, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateSubBuffer, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateImage, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateImageWithProperties, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateImage2D, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateImage3D, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreatePipe, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateFromGLBuffer, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateFromGLTexture, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateFromGLTexture2D, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateFromGLTexture3D, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateFromGLRenderbuffer, [](auto... all) { memory_made(all...); }>();
  put<&Table::clCreateFromEGLImageKHR, [](auto... all) { memory_made(all...); }>();
  put<&Table::clSVMAlloc, svm_made>();
  put<&Table::clCreateKernel, [](auto... all) { kernel_made(all...); }>();
  put<&Table::clCreateKernelsInProgram, kernels_made>();
  put<&Table::clCloneKernel, kernel_cloned>();
}

void put_kernels() {
  put<&Table::clSetKernelArg, argument_set>();
  put<&Table::clSetKernelArgSVMPointer, pointer_set>();
  put<&Table::clSetKernelExecInfo, reached_set>();
  put<&Table::clEnqueueNDRangeKernel, [](auto... all) { launched(all...); }>();
  put<&Table::clEnqueueTask, [](auto... all) { launched(all...); }>();
  put<&Table::clEnqueueNativeKernel, native_run>();
}

void put_moves() {
  put<&Table::clEnqueueReadBuffer, [](auto... all) { buffer_read(all...); }>();
  put<&Table::clEnqueueWriteBuffer, [](auto... all) { buffer_written(all...); }>();
  put<&Table::clEnqueueCopyBuffer, [](auto... all) { buffer_copied(all...); }>();
  put<&Table::clEnqueueFillBuffer, [](auto... all) { buffer_filled(all...); }>();
  put<&Table::clEnqueueMapBuffer, [](auto... all) { buffer_mapped(all...); }>();
  put<&Table::clEnqueueReadBufferRect, [](auto... all) { box_read(all...); }>();
  put<&Table::clEnqueueWriteBufferRect, [](auto... all) { box_written(all...); }>();
  put<&Table::clEnqueueCopyBufferRect, [](auto... all) { box_copied(all...); }>();
  put<&Table::clEnqueueReadImage, [](auto... all) { image_read(all...); }>();
  put<&Table::clEnqueueWriteImage, [](auto... all) { image_written(all...); }>();
  put<&Table::clEnqueueFillImage, [](auto... all) { image_filled(all...); }>();
  put<&Table::clEnqueueCopyImage, [](auto... all) { image_copied(all...); }>();
  put<&Table::clEnqueueCopyImageToBuffer, [](auto... all) { image_copied(all...); }>();
  put<&Table::clEnqueueCopyBufferToImage, [](auto... all) { image_copied(all...); }>();
  put<&Table::clEnqueueMapImage, [](auto... all) { image_mapped(all...); }>();
  put<&Table::clEnqueueSVMMemcpy, svm_copied>();
  put<&Table::clEnqueueSVMMemFill, svm_filled>();
  put<&Table::clEnqueueSVMMap, svm_mapped>();
  put<&Table::clEnqueueUnmapMemObject, memory_unmapped>();
  put<&Table::clEnqueueSVMUnmap, svm_unmapped>();
}

cl_int given(const void* value, std::size_t bytes, std::size_t room, void* to,
             std::size_t* bytes_given) {
  if (to != nullptr && room < bytes) return CL_INVALID_VALUE;
  if (to != nullptr) std::memcpy(to, value, bytes);
  if (bytes_given != nullptr) *bytes_given = bytes;
  return CL_SUCCESS;
}

// Calls are told where BERTH_CAPTURE names a file that can be written.
void begin_recording() {
  const char* path = std::getenv("BERTH_CAPTURE");
  if (path == nullptr || *path == '\0') return;
  if (!recorder().open(driver, path)) {
    std::fprintf(stderr, "berth: cannot record the run: %s: %s\n", path, std::strerror(errno));
    return;
  }
  put_objects();
  put_kernels();
  put_moves();
}

// The program has ended by itself: by exit, or by returning from main.
__attribute__((destructor)) void end_recording() {
  recorded([] { recorder().end(); });
}

}  // namespace
}  // namespace berth::opencl

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info item,
                                                                         std::size_t room,
                                                                         void* value,
                                                                         std::size_t* bytes) {
  static constexpr char kName[] = "berth capture";
  static constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  switch (item) {
    case CL_LAYER_API_VERSION:
      return berth::opencl::given(&kVersion, sizeof kVersion, room, value, bytes);
    case CL_LAYER_NAME:
      return berth::opencl::given(kName, sizeof kName, room, value, bytes);
    default:
      return CL_INVALID_VALUE;
  }
}

// A second time would make the layer its own driver.
__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* entries_given,
            const cl_icd_dispatch** given) {
  using namespace berth::opencl;
  constexpr std::size_t kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  static bool is_begun = false;
  if (target == nullptr || entries_given == nullptr || given == nullptr) return CL_INVALID_VALUE;
  if (is_begun) return CL_INVALID_OPERATION;
  is_begun = true;
  // A loader may know fewer calls than we do, or more; those are not ours to take.
  const std::size_t known = std::min<std::size_t>(entries, kEntries);
  std::memcpy(&driver, target, known * sizeof(void*));
  layer = driver;
  try {
    begin_recording();
  } catch (...) {
    layer = driver;
  }
  *entries_given = static_cast<cl_uint>(known);
  *given = &layer;
  return CL_SUCCESS;
}

}  // extern "C"

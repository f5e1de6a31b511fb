// An OpenCL program that does what it may, and much that it may not: arguments that are wrong,
// objects let go of while they are in use, threads on one queue, queues out of order. It prints
// what each call answered and what was computed, which must not depend on who watches. Exit status
// 77: there is no OpenCL device.

#include <CL/cl.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr const char* kSource = R"(
__kernel void add_one(__global int* values) { values[get_global_id(0)] += 1; }
__kernel void copy(__global const int* from, __global int* to, int factor) {
  to[get_global_id(0)] = from[get_global_id(0)] * factor;
}
__kernel void sum(__global const int* from, __global int* to, __local int* scratch) {
  scratch[0] = 0;
  for (int i = 0; i < 64; ++i) scratch[0] += from[i];
  to[0] = scratch[0];
}
)";
constexpr std::size_t kCount = 64;
constexpr std::size_t kBytes = kCount * sizeof(int);

cl_context context;
cl_device_id device;
cl_program program;

void say(const char* what, cl_int status) {
  std::printf("%s: %d\n", what, status);
}

cl_command_queue queue(cl_command_queue_properties properties = 0) {
  const std::array<cl_queue_properties, 3> list = {CL_QUEUE_PROPERTIES, properties, 0};
  return clCreateCommandQueueWithProperties(context, device, list.data(), nullptr);
}
cl_mem buffer(cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
  return clCreateBuffer(context, flags, kBytes, host, nullptr);
}
cl_kernel kernel(const char* name) {
  return clCreateKernel(program, name, nullptr);
}
void set(cl_kernel of, cl_uint index, cl_mem memory) {
  clSetKernelArg(of, index, sizeof memory, &memory);
}
cl_int run(cl_command_queue on, cl_kernel what, cl_uint waits = 0, const cl_event* events = nullptr,
           cl_event* event = nullptr, std::size_t count = kCount) {
  return clEnqueueNDRangeKernel(on, what, 1, nullptr, &count, nullptr, waits, events, event);
}
void say_values(const char* what, cl_command_queue on, cl_mem memory) {
  std::array<int, kCount> values{};
  const cl_int status =
      clEnqueueReadBuffer(on, memory, CL_TRUE, 0, kBytes, values.data(), 0, nullptr, nullptr);
  std::printf("%s: %d, %d %d %d\n", what, status, values[0], values[1], values[63]);
}

void wrong_arguments() {
  const cl_command_queue on = queue();
  const cl_kernel k = kernel("copy");
  const cl_mem memory = buffer();
  const int zero = 0;
  cl_int status = 0;
  clCreateBuffer(context, 0, 0, nullptr, &status);
  say("a buffer of no bytes", status);
  clCreateBuffer(nullptr, 0, 16, nullptr, &status);
  say("a buffer of no context", status);
  clCreateKernel(program, "nothing", &status);
  say("a kernel that is not there", status);
  const cl_buffer_region outside = {kBytes, 16};
  clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &status);
  say("a part outside", status);
  say("an argument past the last", clSetKernelArg(k, 9, sizeof memory, &memory));
  say("an argument of the wrong size", clSetKernelArg(k, 2, 1, &zero));
  say("an argument of no kernel", clSetKernelArg(nullptr, 0, sizeof memory, &memory));
  say("a pointer past the last", clSetKernelArgSVMPointer(k, 9, nullptr));
  say("a launch without arguments", run(on, k));
  say("a launch nowhere", run(nullptr, k));
  say("a launch in no dimension",
      clEnqueueNDRangeKernel(on, k, 0, nullptr, &kCount, nullptr, 0, nullptr, nullptr));
  int value = 0;
  say("a read past the end",
      clEnqueueReadBuffer(on, memory, CL_TRUE, kBytes, 16, &value, 0, nullptr, nullptr));
  say("a read to nowhere",
      clEnqueueReadBuffer(on, memory, CL_TRUE, 0, 16, nullptr, 0, nullptr, nullptr));
  say("a write of no buffer",
      clEnqueueWriteBuffer(on, nullptr, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
  say("a copy onto itself", clEnqueueCopyBuffer(on, memory, memory, 0, 8, 16, 0, nullptr, nullptr));
  say("shared memory of no bytes", clSVMAlloc(context, 0, 0, 0) == nullptr ? 0 : 1);
  say("no object let go of", clReleaseMemObject(nullptr));
  clReleaseKernel(k);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(on);
}

// Everything that a launch needs is let go of before it has run.
void let_go_early() {
  std::array<int, kCount> values{};
  const cl_mem result = buffer();
  for (int round = 0; round < 20; ++round) {
    const cl_command_queue on = queue();
    const cl_mem from = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.data());
    const cl_kernel k = kernel("copy");
    const int factor = 2;
    set(k, 0, from);
    set(k, 1, result);
    clSetKernelArg(k, 2, sizeof factor, &factor);
    run(on, k);
    clReleaseKernel(k);
    clReleaseMemObject(from);
    clEnqueueReadBuffer(on, result, CL_FALSE, 0, kBytes, values.data(), 0, nullptr, nullptr);
    clFinish(on);
    clReleaseCommandQueue(on);
    for (int& value : values) ++value;
  }
  std::printf("after 20 rounds: %d %d\n", values[0], values[63]);
  clReleaseMemObject(result);
}

void parts_and_moves() {
  const cl_command_queue on = queue();
  const cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 8 * kBytes, nullptr, nullptr);
  const int seven = 7;
  say("fill",
      clEnqueueFillBuffer(on, whole, &seven, sizeof seven, 0, 8 * kBytes, 0, nullptr, nullptr));
  std::array<cl_mem, 4> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const cl_buffer_region region = {i * kBytes, 2 * kBytes};
    parts[i] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  }
  clReleaseMemObject(whole);  // the parts keep it
  const cl_kernel k = kernel("add_one");
  for (int round = 0; round < 3; ++round) {
    for (const cl_mem part : parts) {
      set(k, 0, part);
      run(on, k, 0, nullptr, nullptr, 2 * kCount);
    }
  }
  const cl_kernel clone = clCloneKernel(k, nullptr);
  run(on, clone, 0, nullptr, nullptr, 2 * kCount);
  say("copy", clEnqueueCopyBuffer(on, parts[1], parts[3], 0, kBytes, kBytes, 0, nullptr, nullptr));
  const std::array<std::size_t, 3> origin = {4, 1, 0};
  const std::array<std::size_t, 3> region = {8, 2, 1};
  std::array<int, 4> box{};
  say("box", clEnqueueReadBufferRect(on, parts[3], CL_TRUE, origin.data(),
                                     std::array<std::size_t, 3>{}.data(), region.data(), 64, 0, 8,
                                     0, box.data(), 0, nullptr, nullptr));
  std::printf("box: %d %d %d %d\n", box[0], box[1], box[2], box[3]);
  cl_int status = 0;
  auto* const mapped = static_cast<int*>(clEnqueueMapBuffer(
      on, parts[2], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, kBytes, 0, nullptr, nullptr, &status));
  say("map", status);
  mapped[63] = 1234;
  say("unmap", clEnqueueUnmapMemObject(on, parts[2], mapped, 0, nullptr, nullptr));
  for (const cl_mem part : parts) say_values("part", on, part);
  const cl_kernel summing = kernel("sum");
  const cl_mem result = buffer();
  set(summing, 0, parts[0]);
  set(summing, 1, result);
  clSetKernelArg(summing, 2, 4096, nullptr);
  run(on, summing, 0, nullptr, nullptr, 1);
  std::array<int, kCount> values{};
  clEnqueueReadBuffer(on, result, CL_TRUE, 0, 4, values.data(), 0, nullptr, nullptr);
  std::printf("sum: %d\n", values[0]);
  for (const cl_mem part : parts) clReleaseMemObject(part);
  clReleaseMemObject(result);
  for (const cl_kernel each : {k, clone, summing}) clReleaseKernel(each);
  clReleaseCommandQueue(on);
}

void shared_memory() {
  const cl_command_queue on = queue();
  auto* const values = static_cast<int*>(clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * kBytes, 0));
  if (values == nullptr) return say("shared memory", 1);
  const int three = 3;
  say("fill",
      clEnqueueSVMMemFill(on, values, &three, sizeof three, 4 * kBytes, 0, nullptr, nullptr));
  const cl_kernel k = kernel("add_one");
  say("pointer", clSetKernelArgSVMPointer(k, 0, values + kCount));
  const void* reached = values;
  say("reached", clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, &reached));
  run(on, k);
  say("copy",
      clEnqueueSVMMemcpy(on, CL_TRUE, values, values + kCount, kBytes, 0, nullptr, nullptr));
  say("map", clEnqueueSVMMap(on, CL_TRUE, CL_MAP_READ, values, kBytes, 0, nullptr, nullptr));
  std::printf("shared: %d %d\n", values[0], values[63]);
  say("unmap", clEnqueueSVMUnmap(on, values, 0, nullptr, nullptr));
  clFinish(on);
  // A buffer on the same bytes.
  const cl_mem over = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, kBytes, values, nullptr);
  set(k, 0, over);
  run(on, k);
  say_values("over", on, over);
  clReleaseMemObject(over);
  clReleaseKernel(k);
  clSVMFree(context, values);
  clReleaseCommandQueue(on);
}

void threads_on_one_queue() {
  const cl_command_queue on = queue();
  std::array<int, 4> results{};
  std::vector<std::thread> threads;
  for (int& result : results) {
    threads.emplace_back([&] {
      std::array<int, kCount> values{};
      const cl_mem memory = buffer(CL_MEM_COPY_HOST_PTR, values.data());
      for (int i = 0; i < 50; ++i) {
        const cl_kernel k = kernel("add_one");
        set(k, 0, memory);
        run(on, k);
        clReleaseKernel(k);
      }
      clEnqueueReadBuffer(on, memory, CL_TRUE, 0, kBytes, values.data(), 0, nullptr, nullptr);
      result = values[63];
      clReleaseMemObject(memory);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("threads: %d %d %d %d\n", results[0], results[1], results[2], results[3]);
  clReleaseCommandQueue(on);
}

// One thread waits inside a call for what the other one asks for meanwhile.
void a_call_that_waits() {
  const cl_command_queue on = queue();
  const cl_command_queue other = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::array<int, kCount> values{};
  const cl_mem memory = buffer(CL_MEM_COPY_HOST_PTR, values.data());
  const cl_event gate = clCreateUserEvent(context, nullptr);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const cl_kernel k = kernel("add_one");
    const cl_mem aside = buffer(CL_MEM_COPY_HOST_PTR, values.data());
    set(k, 0, aside);
    run(other, k);
    clFinish(other);
    clReleaseMemObject(aside);
    clReleaseKernel(k);
    clSetUserEventStatus(gate, CL_COMPLETE);
  });
  std::array<int, kCount> read{};
  say("a read that waits",
      clEnqueueReadBuffer(on, memory, CL_TRUE, 0, kBytes, read.data(), 1, &gate, nullptr));
  opener.join();
  clReleaseEvent(gate);

  const cl_kernel k = kernel("add_one");
  set(k, 0, memory);
  cl_event before = nullptr;
  run(other, k, 0, nullptr, &before);
  for (int i = 0; i < 5; ++i) {
    cl_event after = nullptr;
    run(other, k, 1, &before, &after);
    clReleaseEvent(before);
    before = after;
  }
  clFinish(other);
  say_values("a chain", other, memory);
  clReleaseEvent(before);
  clReleaseKernel(k);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(on);
  clReleaseCommandQueue(other);
}

void images() {
  const cl_command_queue on = queue();
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = 8;
  shape.image_height = 8;
  cl_int status = 0;
  const cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, nullptr, &status);
  say("image", status);
  if (image == nullptr) return;
  const std::array<float, 4> color = {1, 2, 3, 4};
  const std::array<std::size_t, 3> origin{};
  const std::array<std::size_t, 3> region = {8, 8, 1};
  say("fill", clEnqueueFillImage(on, image, color.data(), origin.data(), region.data(), 0, nullptr,
                                 nullptr));
  std::array<float, 256> pixels{};
  say("read", clEnqueueReadImage(on, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                                 pixels.data(), 0, nullptr, nullptr));
  std::printf("pixels: %g %g\n", static_cast<double>(pixels[0]), static_cast<double>(pixels[255]));
  clReleaseMemObject(image);
  clReleaseCommandQueue(on);
}

}  // namespace

int main() {
  cl_platform_id platform = nullptr;
  cl_uint platforms = 0;
  if (clGetPlatformIDs(1, &platform, &platforms) != CL_SUCCESS || platforms == 0) return 77;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  const char* source = kSource;
  program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  say("build", clBuildProgram(program, 1, &device, "", nullptr, nullptr));
  wrong_arguments();
  let_go_early();
  parts_and_moves();
  shared_memory();
  threads_on_one_queue();
  a_call_that_waits();
  images();
  clReleaseProgram(program);
  clReleaseContext(context);
}

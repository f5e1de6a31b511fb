// A small network on an OpenCL device: convolutions with a shortcut around three of them, pools,
// and dense layers. Its tensors live
//
//   net separate             each in a buffer of its own
//   net parts OFFSETS.csv    in sub-buffers of one buffer, at the offsets of a plan
//   net svm OFFSETS.csv      in one allocation of shared virtual memory, at the same offsets
//
// and it prints the bits of its ten results, which are the same wherever the tensors live, as long
// as the offsets keep apart what must be. The offsets are what `berth plan net.schedule.json -o
// OFFSETS.csv` writes. Exit status 77: there is no OpenCL device.

#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr const char* kSource = R"(
__kernel void conv3x3_relu(__global const float* in, __global const float* weights,
                           __global float* out, int channels, int side) {
  int x = get_global_id(0), y = get_global_id(1), o = get_global_id(2);
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        int u = x + dx, v = y + dy;
        if (u < 0 || v < 0 || u >= side || v >= side) continue;
        sum += in[(c * side + v) * side + u] *
               weights[((o * channels + c) * 3 + dy + 1) * 3 + dx + 1];
      }
  out[(o * side + y) * side + x] = max(sum, 0.0f);
}

__kernel void add(__global const float* a, __global const float* b, __global float* out) {
  int i = get_global_id(0);
  out[i] = a[i] + b[i];
}

__kernel void pool2x2(__global const float* in, __global float* out, int side) {
  int x = get_global_id(0), y = get_global_id(1), c = get_global_id(2);
  __global const float* from = in + (c * side + 2 * y) * side + 2 * x;
  out[(c * (side / 2) + y) * (side / 2) + x] =
      max(max(from[0], from[1]), max(from[side], from[side + 1]));
}

__kernel void dense_relu(__global const float* in, __global const float* weights,
                         __global float* out, int count) {
  int o = get_global_id(0);
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += in[i] * weights[o * count + i];
  out[o] = max(sum, 0.0f);
}

__kernel void dense(__global const float* in, __global const float* weights, __global float* out,
                    int count) {
  int o = get_global_id(0);
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += in[i] * weights[o * count + i];
  out[o] = sum / 64.0f;
}

__kernel void softmax(__global const float* in, __global float* out, int count) {
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += exp(in[i] - in[0]);
  for (int i = 0; i < count; ++i) out[i] = exp(in[i] - in[0]) / sum;
}
)";

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "net: %s failed: %d\n", what, status);
  std::exit(1);
}

// Where a tensor lives: a memory object, or a pointer.
struct Place {
  cl_mem memory = nullptr;
  char* pointer = nullptr;
};

// The column `offset` of a plan's table, by the column `id`.
std::map<std::string, std::size_t> read_offsets(const char* path) {
  std::ifstream file(path);
  std::map<std::string, std::size_t> offsets;
  std::string line;
  std::getline(file, line);
  for (; std::getline(file, line);) {
    offsets[line.substr(0, line.find(','))] = std::stoull(line.substr(line.rfind(',') + 1));
  }
  if (offsets.empty()) {
    std::fprintf(stderr, "net: %s holds no offsets\n", path);
    std::exit(1);
  }
  return offsets;
}

class Device {
 public:
  Device() {
    cl_platform_id platform = nullptr;
    cl_uint platforms = 0;
    if (clGetPlatformIDs(1, &platform, &platforms) != CL_SUCCESS || platforms == 0) std::exit(77);
    cl_device_id device = nullptr;
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "finding a device");
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "making a context");
    queue_ = clCreateCommandQueueWithProperties(context_, device, nullptr, &status);
    check(status, "making a queue");
    const char* source = kSource;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    check(status, "making a program");
    check(clBuildProgram(program_, 1, &device, "-cl-kernel-arg-info", nullptr, nullptr),
          "building the kernels");
  }
  ~Device() {
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  Place buffer(std::size_t bytes, const void* contents = nullptr) const {
    cl_int status = CL_SUCCESS;
    const cl_mem_flags flags =
        contents == nullptr ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    const Place place = {
        clCreateBuffer(context_, flags, bytes, const_cast<void*>(contents), &status)};
    check(status, "making a buffer");
    return place;
  }
  Place part(const Place& whole, std::size_t offset, std::size_t bytes) const {
    const cl_buffer_region region = {offset, bytes};
    cl_int status = CL_SUCCESS;
    const Place place = {clCreateSubBuffer(whole.memory, CL_MEM_READ_WRITE,
                                           CL_BUFFER_CREATE_TYPE_REGION, &region, &status)};
    check(status, "making a sub-buffer");
    return place;
  }
  char* shared(std::size_t bytes) const {
    auto* const pointer = static_cast<char*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, bytes, 0));
    check(pointer == nullptr ? CL_OUT_OF_RESOURCES : CL_SUCCESS, "allocating shared memory");
    return pointer;
  }

  void run(const char* name, const std::vector<Place>& tensors, const std::vector<cl_int>& numbers,
           const std::vector<std::size_t>& size) const {
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program_, name, &status);
    check(status, name);
    cl_uint index = 0;
    for (const Place& place : tensors) {
      check(place.memory != nullptr ? clSetKernelArg(kernel, index++, sizeof(void*), &place.memory)
                                    : clSetKernelArgSVMPointer(kernel, index++, place.pointer),
            name);
    }
    for (const cl_int& number : numbers) {
      check(clSetKernelArg(kernel, index++, sizeof number, &number), name);
    }
    check(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(size.size()), nullptr,
                                 size.data(), nullptr, 0, nullptr, nullptr),
          name);
    clReleaseKernel(kernel);
  }

  std::vector<float> read(const Place& place, std::size_t count) const {
    std::vector<float> values(count);
    check(clEnqueueReadBuffer(queue_, place.memory, CL_TRUE, 0, count * sizeof(float),
                              values.data(), 0, nullptr, nullptr),
          "reading the results");
    return values;
  }

 private:
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

// The tensors between kernels, and how many numbers each has: images of 32 x 32, 16 x 16 and 8 x 8
// in 8 or 16 channels, then vectors.
const std::vector<std::pair<std::string, std::size_t>> kTensors = {
    {"a", 8192}, {"b", 8192}, {"c", 8192}, {"d", 8192}, {"e", 8192},
    {"f", 2048}, {"g", 4096}, {"h", 1024}, {"i", 64},   {"j", 10}};

constexpr std::size_t kArena = 1 << 20;
constexpr std::size_t kPage = 4096;

// A stretch of shared memory on a page of its own, so that a plan's addresses may begin there.
char* shared_arena(const Device& device) {
  char* const pointer = device.shared(kArena + kPage);
  char* const arena = pointer + (kPage - reinterpret_cast<std::uintptr_t>(pointer) % kPage) % kPage;
  std::fprintf(stderr, "arena %llu\n",
               static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(arena)));
  return arena;
}

std::map<std::string, Place> places(const Device& device, const std::string& mode,
                                    const char* table) {
  std::map<std::string, Place> places;
  if (mode == "separate") {
    for (const auto& [name, count] : kTensors) places[name] = device.buffer(count * sizeof(float));
    return places;
  }
  auto offsets = read_offsets(table);
  const Place whole = mode == "parts" ? device.buffer(kArena) : Place{};
  char* const arena = mode == "svm" ? shared_arena(device) : nullptr;
  for (const auto& [name, count] : kTensors) {
    const std::size_t offset = offsets.at(name);
    places[name] = mode == "parts" ? device.part(whole, offset, count * sizeof(float))
                                   : Place{nullptr, arena + offset};
  }
  return places;
}

// Numbers from -1/2 to 1/2, always the same.
Place weights(const Device& device, std::size_t results, std::size_t operands) {
  static std::uint32_t state = 1;
  std::vector<float> values(results * operands);
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 24) - 0.5f;
  }
  return device.buffer(values.size() * sizeof(float), values.data());
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode != "separate" && !((mode == "parts" || mode == "svm") && count == 3)) {
    std::fprintf(stderr, "usage: net separate | net parts OFFSETS.csv | net svm OFFSETS.csv\n");
    return 2;
  }
  const Device device;
  const Place x = weights(device, 32, 32);
  const Place w1 = weights(device, 8, 9);
  const Place w2 = weights(device, 8, 72);
  const Place w3 = weights(device, 8, 72);
  const Place w4 = weights(device, 8, 72);
  const Place w5 = weights(device, 16, 72);
  const Place w6 = weights(device, 64, 1024);
  const Place w7 = weights(device, 10, 64);
  const Place out = device.buffer(10 * sizeof(float));
  auto t = places(device, mode, count == 3 ? words[2] : nullptr);

  device.run("conv3x3_relu", {x, w1, t["a"]}, {1, 32}, {32, 32, 8});
  device.run("conv3x3_relu", {t["a"], w2, t["b"]}, {8, 32}, {32, 32, 8});
  device.run("conv3x3_relu", {t["b"], w3, t["c"]}, {8, 32}, {32, 32, 8});
  device.run("conv3x3_relu", {t["c"], w4, t["d"]}, {8, 32}, {32, 32, 8});
  device.run("add", {t["a"], t["d"], t["e"]}, {}, {8192});
  device.run("pool2x2", {t["e"], t["f"]}, {32}, {16, 16, 8});
  device.run("conv3x3_relu", {t["f"], w5, t["g"]}, {8, 16}, {16, 16, 16});
  device.run("pool2x2", {t["g"], t["h"]}, {16}, {8, 8, 16});
  device.run("dense_relu", {t["h"], w6, t["i"]}, {1024}, {64});
  device.run("dense", {t["i"], w7, t["j"]}, {64}, {10});
  device.run("softmax", {t["j"], out}, {10}, {1});

  for (const float value : device.read(out, 10)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    std::printf("%08x %g\n", bits, static_cast<double>(value));
  }
}

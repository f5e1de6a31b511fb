// A client of a library that was not written for us: CLBlast's products of matrices and vectors.
// Exit status 77: there is no OpenCL device.

#include <CL/cl.h>
#include <clblast_c.h>

#include <cstdio>
#include <vector>

namespace {

cl_context context;

cl_mem buffer(std::vector<float>& values) {
  return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        values.size() * sizeof(float), values.data(), nullptr);
}

}  // namespace

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_uint platforms = 0;
  if (clGetPlatformIDs(1, &platform, &platforms) != CL_SUCCESS || platforms == 0) return 77;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);

  constexpr std::size_t kRows = 48;
  constexpr std::size_t kColumns = 40;
  constexpr std::size_t kInner = 56;
  std::vector<float> a(kRows * kInner);
  std::vector<float> b(kInner * kColumns);
  std::vector<float> c(kRows * kColumns);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 11) - 4.0f;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 13) - 5.0f;
  cl_mem left = buffer(a);
  cl_mem right = buffer(b);
  cl_mem result = buffer(c);

  std::printf("sgemm %d\n",
              CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, kRows,
                           kColumns, kInner, 1.0f, left, 0, kInner, right, 0, kColumns, 0.0f,
                           result, 0, kColumns, &queue, nullptr));
  std::printf("saxpy %d\n", CLBlastSaxpy(kRows, 2.0f, left, 0, 1, result, 3, 1, &queue, nullptr));
  std::printf("sscal %d\n", CLBlastSscal(100, 0.5f, result, 7, 1, &queue, nullptr));
  clEnqueueReadBuffer(queue, result, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0, nullptr,
                      nullptr);
  for (const float value : c) std::printf("%a\n", static_cast<double>(value));
}

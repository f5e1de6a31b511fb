#include <CL/cl_layer.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "berth/formats/capture_csv.h"
#include "tests/capture/fake_driver.h"
#include "tests/support/temporary_directory.h"

namespace berth {
namespace {

using test::fake;
using test::FakeDriver;

// The layer on the fake driver. It is begun once in a process, as a loader does; each test looks at
// the lines that it added.
class Layer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new test::TemporaryDirectory;
    ::setenv("BERTH_CAPTURE", directory_->file("run.csv").c_str(), 1);
    static const cl_icd_dispatch driver = test::fake_table();
    driver_ = &driver;
    ASSERT_EQ(clInitLayer(kEntries, &driver, &entries_, &calls_), CL_SUCCESS);
    ::unsetenv("BERTH_CAPTURE");
  }
  static void TearDownTestSuite() { delete directory_; }

  void SetUp() override {
    fake = FakeDriver();
    queue();
    before_ = text().size();
  }

  static std::string text() {
    std::ifstream file(directory_->file("run.csv"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // What this test's calls added.
  std::string added() const { return text().substr(before_); }

  static cl_command_queue queue() {
    static const cl_command_queue one =
        calls_->clCreateCommandQueueWithProperties(nullptr, nullptr, nullptr, nullptr);
    return one;
  }
  static cl_mem buffer(std::size_t bytes, cl_mem_flags flags = 0, void* host = nullptr) {
    return calls_->clCreateBuffer(nullptr, flags, bytes, host, nullptr);
  }
  static cl_mem part(cl_mem whole, std::size_t origin, std::size_t bytes) {
    const cl_buffer_region region = {origin, bytes};
    return calls_->clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  }
  static cl_kernel kernel() { return calls_->clCreateKernel(nullptr, "", nullptr); }
  template <typename T>
  static void set(cl_kernel kernel, cl_uint index, const T& value) {
    EXPECT_EQ(calls_->clSetKernelArg(kernel, index, sizeof value, &value), fake.status);
  }
  static cl_int launch(cl_kernel kernel) {
    return calls_->clEnqueueNDRangeKernel(queue(), kernel, 1, nullptr, nullptr, nullptr, 0, nullptr,
                                          nullptr);
  }
  // The last line, from its words on.
  std::string last_words() const {
    const std::string all = added();
    const std::string words = all.substr(all.rfind("kernel,1,") + 9);
    return words.substr(0, words.size() - 1);
  }
  // The number of the memory that was made last, as text.
  static std::string last_memory() {
    const auto capture = read_capture(text(), "run.csv");
    return std::to_string(capture.value().memories.size());
  }

  static constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  static inline test::TemporaryDirectory* directory_ = nullptr;
  static inline const cl_icd_dispatch* driver_ = nullptr;
  static inline const cl_icd_dispatch* calls_ = nullptr;
  static inline cl_uint entries_ = 0;
  std::size_t before_ = 0;
};

TEST_F(Layer, SaysWhatItIs) {
  cl_layer_api_version version = 0;
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_API_VERSION, sizeof version, &version, nullptr), CL_SUCCESS);
  EXPECT_EQ(version, cl_layer_api_version{CL_LAYER_API_VERSION_100});
  std::size_t bytes = 0;
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_NAME, 0, nullptr, &bytes), CL_SUCCESS);
  std::string name(bytes, ' ');
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_NAME, bytes, name.data(), nullptr), CL_SUCCESS);
  EXPECT_STREQ(name.c_str(), "berth capture");
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_NAME, 3, name.data(), nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetLayerInfo(1, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(Layer, TakesOnlyTheCallsThatItTellsOf) {
  EXPECT_EQ(entries_, kEntries);
  EXPECT_EQ(calls_->clFinish, driver_->clFinish);
  EXPECT_NE(calls_->clCreateBuffer, driver_->clCreateBuffer);
  EXPECT_EQ(calls_->clCreateImage, nullptr);  // the driver has none
}

TEST_F(Layer, BeginsOnceAlone) {
  cl_uint entries = 0;
  const cl_icd_dispatch* again = nullptr;
  EXPECT_EQ(clInitLayer(kEntries, calls_, &entries, &again), CL_INVALID_OPERATION);
  EXPECT_EQ(clInitLayer(kEntries, nullptr, &entries, &again), CL_INVALID_VALUE);
}

TEST_F(Layer, ABufferHasAnAddressAboveAnyPointerAndAPartLiesInIt) {
  const cl_mem whole = buffer(5000);
  const std::string number = last_memory();
  part(whole, 256, 512);
  const auto capture = read_capture(text(), "run.csv").value();
  const CapturedMemory& inner = capture.memories.back();
  const CapturedMemory& outer = capture[*inner.whole];
  EXPECT_EQ(std::to_string(inner.whole->index() + 1), number);
  EXPECT_GE(outer.address.value(), std::uint64_t{1} << 56);
  EXPECT_EQ(outer.address.value() % 4096, 0u);
  EXPECT_EQ(inner.address.value(), outer.address.value() + 256);
  buffer(1);
  const auto after = read_capture(text(), "run.csv").value().memories.back();
  EXPECT_GE(after.address.value(), outer.address.value() + 5000 + 4096);
}

TEST_F(Layer, BytesOfTheProgramsOwnAreWhereItSaysAndHoldSomething) {
  alignas(64) static char bytes[64];
  buffer(64, CL_MEM_USE_HOST_PTR, bytes);
  const auto capture = read_capture(text(), "run.csv").value();
  EXPECT_EQ(capture.memories.back().address.value(), reinterpret_cast<std::uint64_t>(bytes));
  const CapturedCommand& filled = capture.commands.back();
  EXPECT_EQ(filled.name, "write");
  EXPECT_EQ(filled.words.at(0).bytes, Bytes(64));
}

TEST_F(Layer, ALaunchTellsItsArgumentsAsTheyAreWhenItIsAskedFor) {
  fake.parameters = {{CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST},
                     {},
                     {CL_KERNEL_ARG_ADDRESS_PRIVATE}};
  const cl_mem a = buffer(64);
  const std::string a_number = last_memory();
  const cl_mem b = buffer(64, CL_MEM_WRITE_ONLY);
  const std::string b_number = last_memory();
  const cl_kernel k = kernel();
  set(k, 0, a);
  set(k, 1, b);
  set(k, 2, 7);
  EXPECT_EQ(launch(k), CL_SUCCESS);
  EXPECT_EQ(last_words(), "k,m" + a_number + ":r,m" + b_number + ":w,v7");
  set(k, 1, a);
  EXPECT_EQ(launch(k), CL_SUCCESS);
  EXPECT_EQ(last_words(), "k,m" + a_number + ":r,m" + a_number + ":b,v7");
}

TEST_F(Layer, ANumberThatLooksLikeAHandleIsANumberWhereTheKernelSaysSo) {
  fake.parameters = {{CL_KERNEL_ARG_ADDRESS_PRIVATE}};
  const cl_mem a = buffer(64);
  const cl_kernel k = kernel();
  set(k, 0, a);
  launch(k);
  EXPECT_EQ(last_words(), "k,v" + std::to_string(reinterpret_cast<std::uintptr_t>(a)));
}

TEST_F(Layer, PointersLocalMemoryAndLargeArgumentsAreToldApart) {
  const cl_kernel k = kernel();
  const auto* pointer = reinterpret_cast<const void*>(0x7f0000001000);  // NOLINT
  const auto* reached = reinterpret_cast<const void*>(0x7f0000002000);  // NOLINT
  EXPECT_EQ(calls_->clSetKernelArgSVMPointer(k, 0, pointer), CL_SUCCESS);
  EXPECT_EQ(calls_->clSetKernelArg(k, 1, 4096, nullptr), CL_SUCCESS);
  set(k, 2, std::array<char, 24>{});
  EXPECT_EQ(calls_->clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, &reached),
            CL_SUCCESS);
  launch(k);
  EXPECT_EQ(last_words(), "k,p0x7f0000001000:b,s24:" + std::string(48, '0') + ",p0x7f0000002000:b");
}

TEST_F(Layer, AStructIsToldByteByByte) {
  struct Argument {
    std::uint64_t pointer = 0x7f0000001234;
    std::uint32_t count = 0x89abcdef;
    std::uint32_t rest = 0;
  };
  const cl_kernel k = kernel();
  set(k, 0, Argument{});
  launch(k);
  EXPECT_EQ(last_words(), "k,s16:34120000007f0000efcdab8900000000");
  const auto words = read_capture(text(), "run.csv").value().commands.back().words;
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0].value, 0x7f0000001234u);
  EXPECT_EQ(words[2].value, 0x89abcdefu);
  const std::vector<char> huge((1 << 16) + 1);
  EXPECT_EQ(calls_->clSetKernelArg(k, 0, huge.size(), huge.data()), CL_SUCCESS);
  launch(k);
  EXPECT_EQ(last_words(), "k,s65537");
}

// What was mapped to be read is no more read from then on; what was mapped to be written is written
// by then, a part of it perhaps.
TEST_F(Layer, AnUnmapIsOfWhatWasMapped) {
  const cl_mem a = buffer(64);
  const std::string a_text = "m" + last_memory();
  const auto map = [&](cl_map_flags flags, std::size_t offset, std::size_t bytes) {
    return calls_->clEnqueueMapBuffer(queue(), a, CL_TRUE, flags, offset, bytes, 0, nullptr,
                                      nullptr, nullptr);
  };
  const auto unmap = [&](void* at) {
    const std::string before = added();
    EXPECT_EQ(calls_->clEnqueueUnmapMemObject(queue(), a, at, 0, nullptr, nullptr), fake.status);
    return added().substr(before.size());
  };
  EXPECT_EQ(unmap(map(CL_MAP_READ, 8, 16)), "unmap,1," + a_text + ":r:8:16\n");
  EXPECT_EQ(unmap(map(CL_MAP_WRITE, 0, 64)), "unmap,1," + a_text + ":b:0:64\n");
  EXPECT_EQ(unmap(map(CL_MAP_WRITE_INVALIDATE_REGION, 4, 4)), "unmap,1," + a_text + ":b:4:4\n");
  int elsewhere = 0;
  EXPECT_EQ(unmap(&elsewhere), "unmap,1," + a_text + ":b\n") << "nobody saw it mapped";
  void* at = map(CL_MAP_READ, 0, 1);
  fake.status = CL_INVALID_VALUE;
  EXPECT_EQ(unmap(at), "");
  fake.status = CL_SUCCESS;
  EXPECT_EQ(unmap(at), "unmap,1," + a_text + ":r:0:1\n");

  auto* shared = reinterpret_cast<void*>(0x7f0000005000);  // NOLINT
  EXPECT_EQ(
      calls_->clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_WRITE, shared, 32, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(calls_->clEnqueueSVMUnmap(queue(), shared, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_TRUE(added().ends_with("map,1,p0x7f0000005000:b:32\nunmap,1,p0x7f0000005000:b:32\n"))
      << added();
  EXPECT_TRUE(read_capture(text(), "run.csv"));
}

TEST_F(Layer, WhatTheDriverRefusesIsNotTold) {
  const cl_mem a = buffer(64);
  const std::string number = last_memory();
  const cl_kernel k = kernel();
  set(k, 0, a);
  fake.status = CL_INVALID_VALUE;
  const std::string before = added();
  EXPECT_EQ(buffer(64), nullptr);
  set(k, 0, 5);
  EXPECT_EQ(launch(k), CL_INVALID_VALUE);
  EXPECT_EQ(calls_->clEnqueueMapBuffer(queue(), a, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr,
                                       nullptr),
            nullptr);
  EXPECT_EQ(added(), before);
  fake.status = CL_SUCCESS;
  launch(k);
  EXPECT_EQ(last_words(), "k,m" + number + ":b");
}

// A driver may use a handle again: it is then the new object, for what is set from then on.
TEST_F(Layer, AHandleThatComesBackIsAnotherObject) {
  const cl_mem a = buffer(64);
  const std::string first = last_memory();
  const cl_kernel k = kernel();
  set(k, 0, a);
  fake.next_handle = reinterpret_cast<std::uintptr_t>(a);
  const cl_mem b = buffer(128);
  ASSERT_EQ(a, b);
  launch(k);
  EXPECT_EQ(last_words(), "k,m" + first + ":b");
  set(k, 0, b);
  launch(k);
  EXPECT_EQ(last_words(), "k,m" + last_memory() + ":b");
  fake.next_handle = reinterpret_cast<std::uintptr_t>(k);
  fake.kernel_name = "other";
  launch(kernel());
  EXPECT_EQ(last_words(), "other");
}

TEST_F(Layer, ACloneHasTheArgumentsOfItsSource) {
  const cl_kernel k = kernel();
  set(k, 0, 9);
  const cl_kernel clone = calls_->clCloneKernel(k, nullptr);
  set(k, 0, 8);
  launch(clone);
  EXPECT_EQ(last_words(), "k,v9");
}

TEST_F(Layer, ObjectsThatItHasNotSeenAreNoReasonToStop) {
  const auto unknown = reinterpret_cast<cl_kernel>(0x9990);  // NOLINT
  const auto memory = reinterpret_cast<cl_mem>(0x9980);      // NOLINT
  set(unknown, 0, memory);
  EXPECT_EQ(launch(unknown), CL_SUCCESS);
  EXPECT_EQ(last_words(), "\"\",v" + std::to_string(0x9980));
  EXPECT_EQ(
      calls_->clEnqueueWriteBuffer(reinterpret_cast<cl_command_queue>(0x9970), memory,  // NOLINT
                                   CL_TRUE, 0, 64, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(calls_->clSetKernelArg(unknown, 1'000'000'000, 4, &memory), CL_SUCCESS);
  EXPECT_TRUE(read_capture(text(), "run.csv"));
}

TEST_F(Layer, ANameOfAnyBytesIsReadBack) {
  fake.kernel_name = "a,\"b\"\nc ";
  launch(kernel());
  EXPECT_EQ(read_capture(text(), "run.csv").value().commands.back().name, "a,\"b\"\\x0Ac ");
}

TEST_F(Layer, ABoxReachesFromItsFirstByteToItsLast) {
  const cl_mem a = buffer(4096);
  const std::size_t origin[3] = {4, 2, 0};
  const std::size_t region[3] = {8, 3, 1};
  EXPECT_EQ(calls_->clEnqueueReadBufferRect(queue(), a, CL_TRUE, origin, origin, region, 64, 0, 0,
                                            0, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_NE(added().find("read,1,m" + last_memory() + ":r:132:136\n"), std::string::npos)
      << added();
}

TEST_F(Layer, MovesPastTheEndAreOfTheWhole) {
  const cl_mem a = buffer(64);
  EXPECT_EQ(calls_->clEnqueueWriteBuffer(queue(), a, CL_TRUE, 60, 8, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_NE(added().find("write,1,m" + last_memory() + ":b\n"), std::string::npos) << added();
}

TEST_F(Layer, SharedMemoryIsWhereTheProgramSeesIt) {
  fake.next_handle = 0x7f0000003000;
  void* const memory = calls_->clSVMAlloc(nullptr, 0, 4096, 0);
  fake.next_handle = 0;
  EXPECT_EQ(read_capture(text(), "run.csv").value().memories.back().address.value(),
            0x7f0000003000u);
  EXPECT_EQ(calls_->clEnqueueSVMMemcpy(queue(), CL_TRUE, memory, &before_, 8, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_NE(added().find(",p0x7f0000003000:w:8\n"), std::string::npos) << added();
}

TEST_F(Layer, ThreadsThatLaunchAtOnceLoseNoLine) {
  constexpr int kThreads = 8;
  constexpr int kLaunches = 500;
  const std::size_t before = read_capture(text(), "run.csv").value().commands.size();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      const cl_kernel k = kernel();
      for (int i = 0; i < kLaunches; ++i) {
        set(k, 0, t * kLaunches + i);
        launch(k);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto capture = read_capture(text(), "run.csv").value();
  std::vector<int> last(kThreads, -1);
  ASSERT_EQ(capture.commands.size(), before + kThreads * kLaunches);
  for (std::size_t i = before; i < capture.commands.size(); ++i) {
    const int value = static_cast<int>(capture.commands[i].words.at(0).value);
    EXPECT_GT(value, last[static_cast<std::size_t>(value / kLaunches)]);
    last[static_cast<std::size_t>(value / kLaunches)] = value;
  }
}

TEST_F(Layer, AChildOfTheProgramIsNotRecorded) {
  const cl_kernel k = kernel();
  const std::string before = text();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(launch(k) == CL_SUCCESS ? 0 : 1);
  int state = 0;
  ::waitpid(child, &state, 0);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  EXPECT_EQ(text(), before);
}

TEST_F(Layer, ErrnoIsTheProgramsOwn) {
  const cl_kernel k = kernel();
  errno = 77;
  launch(k);
  EXPECT_EQ(errno, 77);
}

TEST(Trace, StopsWhereItCannotBeWritten) {
  opencl::Trace full;
  EXPECT_FALSE(full.open("/dev/full"));
  full.add("kernel,1,k");
  EXPECT_FALSE(full.is_open());
  opencl::Trace nowhere;
  EXPECT_FALSE(nowhere.open("/nowhere/at/all"));
}

TEST(Trace, AProcessCanHaveAFileOfItsOwn) {
  const test::TemporaryDirectory directory;
  opencl::Trace trace;
  EXPECT_TRUE(trace.open(directory.file("%p.csv")));
  EXPECT_EQ(directory.names(), (std::vector{std::to_string(::getpid()) + ".csv"}));
}

}  // namespace
}  // namespace berth

// Programs on the OpenCL driver that is installed, with the layer and without.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/support/command.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

constexpr const char* kNet = BERTH_BUILD "/berth_opencl_net";
constexpr const char* kSchedule = BERTH_ROOT "/capture/demo/net.schedule.json";
constexpr int kNoDevice = 77;

class Programs : public ::testing::Test {
 protected:
  // Compiled kernels are kept from run to run, beside the build.
  static std::vector<std::string> environment() {
    const char* path = std::getenv("PATH");
    return {std::string("PATH=") + (path == nullptr ? "" : path),
            "POCL_CACHE_DIR=" BERTH_BUILD "/opencl-cache"};
  }

  Ran run(const std::string& program, const std::vector<std::string>& words = {}) const {
    return command.run_program(program, words, "", environment());
  }
  // Recorded in `record`.
  Ran watched(const std::string& record, const std::string& program,
              const std::vector<std::string>& words = {}) const {
    auto all = environment();
    all.emplace_back("OPENCL_LAYERS=" BERTH_OPENCL_LAYER);
    all.push_back("BERTH_CAPTURE=" + record);
    return command.run_program(program, words, "", all);
  }

  // Why the program cannot run here; empty where it can.
  std::string missing(const std::string& program) const {
    if (!std::filesystem::exists(program)) {
      return "not built: the OpenCL loader, or the library that it uses, is not installed";
    }
    const Ran ran = run(program, {"separate"});
    if (ran.status == kNoDevice) return "no OpenCL driver is installed";
    // So the driver itself ends a program where it cannot ask the system what it runs on, as
    // without /sys.
    const bool is_turned_away =
        ran.status != 0 &&
        ran.err.find("Not enough memory to run on this device") != std::string::npos;
    return is_turned_away ? "the OpenCL driver does not run on this machine" : "";
  }

  // What berth certify says of the record.
  Ran certified(const std::string& record) const {
    const Ran ran = command.run(
        {"capture", record, "-o", record + ".planes.json", "-o", record + ".launches.json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return command.run({"certify", record + ".planes.json", record + ".launches.json"});
  }

  CommandLine command;
};

// Where the network's tensors live.
class Net : public Programs {
 protected:
  void SetUp() override {
    if (const std::string why = missing(kNet); !why.empty()) GTEST_SKIP() << why;
    separate = run(kNet, {"separate"});
    ASSERT_EQ(separate.status, 0) << separate.err;
    const Ran planned = command.run({"plan", kSchedule, "-o", "good.csv", "--quiet"});
    ASSERT_EQ(planned.status, 0) << planned.err;
    const std::string table = command.read("good.csv");
    // c is written and read while a, which the shortcut needs, is in no launch.
    const std::uint64_t a = offset(table, "a");
    command.write("near.csv", moved(table, "c", a + 4096));
    command.write("same.csv", moved(table, "c", a));
  }

  static std::uint64_t offset(const std::string& table, const std::string& name) {
    const auto row = table.find("\n" + name + ",") + 1;
    const auto end = table.find('\n', row);
    return std::stoull(table.substr(table.rfind(',', end) + 1));
  }
  static std::string moved(std::string table, const std::string& name, std::uint64_t to) {
    const auto end = table.find('\n', table.find("\n" + name + ",") + 1);
    const auto begin = table.rfind(',', end) + 1;
    return table.replace(begin, end - begin, std::to_string(to));
  }

  // What berth certify says of the kernels of a record of shared memory, by the planes of our plan
  // at the address at which the program's arena was.
  Ran certified_by_plan(const std::string& record, const Ran& ran) const {
    std::istringstream said(ran.err);
    std::string word;
    std::string address;
    said >> word >> address;
    EXPECT_EQ(word, "arena");
    EXPECT_EQ(
        command
            .run({"plan", kSchedule, "--base", "CPU=" + address, "-o", "p.planes.json", "--quiet"})
            .status,
        0);
    EXPECT_EQ(command.run({"capture", record, "--kernels", "-o", "k.launches.json"}).status, 0);
    return command.run({"certify", "p.planes.json", "k.launches.json"});
  }

  Ran separate;
};

TEST_F(Net, ComputesTheSameBitsInAnArenaOfSubBuffersAtOurOffsets) {
  const Ran parts = watched("r.csv", kNet, {"parts", "good.csv"});
  EXPECT_EQ(parts.status, 0) << parts.err;
  EXPECT_EQ(parts.out, separate.out);
  const Ran judged = certified("r.csv");
  EXPECT_EQ(judged.status, 0) << judged.out;
  EXPECT_NE(judged.out.find("20 launches written, 20 run in 20 instances; 54 words, 39 of them"),
            std::string::npos)
      << judged.out;
}

TEST_F(Net, ComputesTheSameBitsInSharedMemoryAtOurOffsetsAndKeepsToOurPlanes) {
  const Ran shared = watched("r.csv", kNet, {"svm", "good.csv"});
  EXPECT_EQ(shared.status, 0) << shared.err;
  EXPECT_EQ(shared.out, separate.out);
  const Ran judged = certified_by_plan("r.csv", shared);
  EXPECT_EQ(judged.status, 0) << judged.out;
  EXPECT_NE(judged.out.find("11 launches written, 11 run in 11 instances; 45 words, 21 of them"),
            std::string::npos)
      << judged.out;
}

TEST_F(Net, OneOffsetThatIsDamagedIsRefusedAndComputesGarbage) {
  for (const char* table : {"near.csv", "same.csv"}) {
    EXPECT_EQ(command.run({"check", table}).status, 1) << table;
    const Ran parts = watched("r.csv", kNet, {"parts", table});
    EXPECT_EQ(parts.status, 0) << parts.err;
    EXPECT_NE(parts.out, separate.out) << table;
    const Ran judged = certified("r.csv");
    EXPECT_EQ(judged.status, 1) << table;
    EXPECT_NE(judged.out.find("'step 12 (add)'"), std::string::npos) << judged.out;
    EXPECT_NE(judged.out.find("which has been declared over"), std::string::npos) << judged.out;

    const Ran shared = watched("s.csv", kNet, {"svm", table});
    EXPECT_EQ(shared.out, parts.out) << table;
    const Ran strayed = certified_by_plan("s.csv", shared);
    EXPECT_EQ(strayed.status, 1);
    EXPECT_NE(strayed.out.find("launch 2 ('conv3x3_relu', phase 'step 2 (conv3x3_relu)'): word 2"),
              std::string::npos)
        << strayed.out;
  }
}

TEST_F(Programs, GetTheSameAnswersHoweverWrongTheyUseTheDriver) {
  constexpr const char* kMisuse = BERTH_BUILD "/tests/opencl_misuse";
  if (const std::string why = missing(kMisuse); !why.empty()) GTEST_SKIP() << why;
  const Ran alone = run(kMisuse);
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_NE(alone.out.find("threads: 50 50 50 50\n"), std::string::npos) << alone.out;
  for (int round = 0; round < 3; ++round) {
    const Ran ran = watched("r.csv", kMisuse);
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, alone.out);
    EXPECT_EQ(ran.err, alone.err);
    // It lays parts over one another, and computes on both.
    const Ran judged = certified("r.csv");
    EXPECT_EQ(judged.status, 1);
    EXPECT_NE(judged.out.find("which has been declared over"), std::string::npos) << judged.out;
  }
}

TEST_F(Programs, RunAsTheyDoWithoutWhereTheRecordCannotBeWritten) {
  if (const std::string why = missing(kNet); !why.empty()) GTEST_SKIP() << why;
  const Ran alone = run(kNet, {"separate"});
  const Ran full = watched("/dev/full", kNet, {"separate"});
  EXPECT_EQ(full.status, 0);
  EXPECT_EQ(full.out, alone.out);
  EXPECT_NE(full.err.find("berth: cannot record the run: /dev/full"), std::string::npos)
      << full.err;
  const Ran unasked = watched("", kNet, {"separate"});
  EXPECT_EQ(unasked.out, alone.out);
  EXPECT_EQ(unasked.err, alone.err);
}

TEST_F(Programs, ALibrarysLaunchesAreCertified) {
  constexpr const char* kBlas = BERTH_BUILD "/tests/opencl_blas";
  if (const std::string why = missing(kBlas); !why.empty()) GTEST_SKIP() << why;
  const Ran alone = run(kBlas);
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_TRUE(alone.out.starts_with("sgemm 0\nsaxpy 0\nsscal 0\n")) << alone.out.substr(0, 80);
  const Ran ran = watched("r.csv", kBlas);
  EXPECT_EQ(ran.out, alone.out);
  const std::string record = command.read("r.csv");
  EXPECT_NE(record.find("kernel,1,Xgemm"), std::string::npos) << record;
  EXPECT_NE(record.find("kernel,1,Xaxpy"), std::string::npos) << record;
  const Ran judged = certified("r.csv");
  EXPECT_EQ(judged.status, 0) << judged.out;
  EXPECT_EQ(judged.out.find(" 0 of them in windows"), std::string::npos) << judged.out;
}

}  // namespace
}  // namespace berth

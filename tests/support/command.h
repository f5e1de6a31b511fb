#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "berth/formats/file.h"
#include "tests/support/temporary_directory.h"

namespace berth::test {

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

// Runs the berth command, or another program, in a fresh directory, with an environment that says
// nothing but what the test says.
class CommandLine {
 public:
  void write(const std::string& name, const std::string& content) const {
    put(directory_.file(name), content);
  }
  std::string read(const std::string& name) const {
    return read_file(directory_.file(name)).value_or("(no such file)");
  }
  const TemporaryDirectory& directory() const { return directory_; }

  Ran run(std::vector<std::string> words, const std::string& input = "",
          std::vector<std::string> environment = {}) const {
    return run_program(BERTH_COMMAND, std::move(words), input, std::move(environment));
  }

  Ran run_program(const std::string& program, std::vector<std::string> words,
                  const std::string& input, std::vector<std::string> environment) const {
    put(streams_.file("in"), input);
    words.insert(words.begin(), program);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, directory_.path().c_str());
    posix_spawn_file_actions_addopen(&actions, 0, streams_.file("in").c_str(), O_RDONLY, 0);
    for (const auto& [descriptor, name] : {std::pair(1, "out"), std::pair(2, "err")}) {
      posix_spawn_file_actions_addopen(&actions, descriptor, streams_.file(name).c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    pid_t process = 0;
    const int failure = ::posix_spawn(&process, program.c_str(), &actions, nullptr,
                                      pointers(words).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(failure, 0) << "cannot start " << program;
    int state = 0;
    ::waitpid(process, &state, 0);
    return {WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state),
            read_file(streams_.file("out")).value(), read_file(streams_.file("err")).value()};
  }

 private:
  // Without waiting for the disk, as the command does.
  static void put(const std::string& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    file << content << std::flush;
    EXPECT_TRUE(file.good()) << path;
  }
  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  TemporaryDirectory directory_;
  TemporaryDirectory streams_;
};

}  // namespace berth::test

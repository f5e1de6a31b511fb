#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/opencl/trace.h"

namespace berth::opencl {

enum class Access : char { Read = 'r', Write = 'w', Both = 'b' };

// A stretch of a memory object's bytes; nothing: all of them.
struct Part {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// What a command does to memory: an object's, or what a pointer reaches.
struct Touch {
  cl_mem memory = nullptr;
  const void* pointer = nullptr;  // where there is no object
  Access access = Access::Both;
  std::optional<Part> part{};
};

// Knows the objects that a program has made, and writes what it does with them.
//
// A memory object has no address that a program can see, so each gets a stretch of its own above
// those that a pointer can have, in the order in which they are made, and never again; a part lies
// in its buffer. Where the program gave the bytes itself (CL_MEM_USE_HOST_PTR), they are where it
// says.
//
// Asks the driver only of objects that it has just made or accepted, and never while it holds its
// own lock, so that no call of a program waits for another one.
class Recorder {
 public:
  // False where the path cannot be written.
  bool open(const cl_icd_dispatch& driver, const std::string& path);
  // Whether this process is the one that is recorded: a child of it is not.
  bool is_watching() const;
  // The program ends by itself.
  void end();

  void queue_made(cl_command_queue queue);
  void memory_made(cl_mem memory);
  void svm_made(const void* pointer, std::size_t bytes);
  void kernel_made(cl_kernel kernel);
  void kernel_cloned(cl_kernel clone, cl_kernel source);

  // An argument that the driver has accepted.
  void argument_set(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value);
  void pointer_set(cl_kernel kernel, cl_uint index, const void* pointer);
  // Pointers that it reaches without being given them.
  void reached_set(cl_kernel kernel, const void* const* pointers, std::size_t count);

  void launched(cl_command_queue queue, cl_kernel kernel);
  // Queue null: the host did it.
  void touched(const char* what, cl_command_queue queue, const std::vector<Touch>& touches);
  // The host sees these bytes at `at` from now on, until they are unmapped there.
  void mapped(cl_command_queue queue, const void* at, const Touch& touch);
  void unmapped(cl_command_queue queue, cl_mem memory, const void* at);

 private:
  struct Memory {
    std::size_t number = 0;
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    Access access = Access::Both;  // of kernels
  };
  // What is known of a parameter from the program's source.
  struct Parameter {
    bool is_number = false;  // and so no memory
    bool is_local = false;
    Access access = Access::Both;
  };
  struct Kernel {
    std::string name;
    std::vector<std::string> words;  // by parameter; empty: none
    std::vector<std::optional<Parameter>> parameters;
    std::vector<std::string> reached;
  };

  struct MadeMemory;

  // Without the lock: these ask the driver.
  MadeMemory ask_about(cl_mem memory) const;
  Parameter ask_about(cl_kernel kernel, cl_uint index) const;
  Parameter parameter_of(cl_kernel kernel, cl_uint index);

  // With it.
  void add_queue(cl_command_queue queue, bool in_order);
  void add_memory(cl_mem memory, const MadeMemory& made);
  std::size_t number_of(cl_command_queue queue);
  std::string word_of(const Parameter& parameter, std::size_t bytes, const void* value) const;
  std::string word_of(const Touch& touch) const;
  void add_touches(const char* what, cl_command_queue queue, const std::vector<Touch>& touches);

  const cl_icd_dispatch* driver_ = nullptr;
  std::mutex mutex_;  // of all that follows
  Trace trace_;
  std::size_t memories_ = 0;
  std::size_t queues_ = 0;
  std::uint64_t next_address_ = std::uint64_t{1} << 56;
  std::unordered_map<cl_mem, Memory> memory_of_;
  std::unordered_map<cl_kernel, Kernel> kernel_of_;
  std::unordered_map<cl_command_queue, std::size_t> queue_of_;
  // What is mapped: by its memory, null of shared memory, and by where the host sees it.
  std::multimap<std::pair<cl_mem, const void*>, Touch> mapped_;
};

}  // namespace berth::opencl

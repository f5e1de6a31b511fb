#pragma once

#include <optional>
#include <string>

namespace berth {

// Where what is written to a path really goes, once links are followed. A link that leads to
// nothing yet is a name for what will be made there.
struct Destination {
  enum class Kind {
    Descriptor,  // one that is open already: "-", /dev/stdout, /dev/fd/3
    Stream,      // a pipe or a device, written to as it stands
    Mounted,     // a file that is a mount of its own, which no rename can replace
    Plain,       // a file, there or not
  };

  Kind kind = Kind::Plain;
  int descriptor = -1;
  std::string path;            // behind the links
  std::optional<int> failure;  // why nothing can be written there: a code of the system

  // The folder of `path`, and the name in it.
  std::string folder() const;
  std::string name() const;
};

Destination destination_of(const std::string& path);

}  // namespace berth

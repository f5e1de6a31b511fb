#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

const fs::path kRoot = BERTH_ROOT;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What stands in the text between each `open` and the next `close`.
std::vector<std::string> between(const std::string& text, const std::string& open,
                                 const std::string& close) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    const std::size_t end = text.find(close, at);
    if (end == std::string::npos) break;
    found.push_back(text.substr(at, end - at));
  }
  return found;
}

Rooms names_in(const std::string& text) {
  Rooms rooms;
  std::istringstream names(text);
  for (std::string name; names >> name;) {
    if (name != "nothing") rooms.insert(name);
  }
  return rooms;
}

// The table of rooms in ARCHITECTURE.md: "| `live/` | what it knows | base ir |".
std::map<std::string, Rooms> table_of_rooms() {
  std::map<std::string, Rooms> table;
  for (const std::string& row : between(text_of(kRoot / "ARCHITECTURE.md"), "\n| `", " |\n")) {
    const std::size_t name_end = row.find("/`");
    if (name_end == std::string::npos) continue;
    table.emplace(row.substr(0, name_end), names_in(row.substr(row.rfind("| ") + 2)));
  }
  return table;
}

// The rooms that the sources of a room include.
Rooms included_rooms(const fs::path& room) {
  Rooms rooms;
  for (const auto& file : fs::recursive_directory_iterator(room)) {
    if (!file.is_regular_file()) continue;
    for (const auto& name : between(text_of(file.path()), "#include \"berth/", "/")) {
      rooms.insert(name);
    }
  }
  return rooms;
}

// The rooms that CMake links to a room: "berth_room(live ROOMS base ir LIBRARIES fmt::fmt)".
Rooms linked_rooms(const std::string& room) {
  const auto calls =
      between(text_of(kRoot / "berth" / "CMakeLists.txt"), "\nberth_room(" + room + " ", ")");
  EXPECT_EQ(calls.size(), 1U) << room;
  if (calls.empty()) return {};
  const std::string call = calls.front().substr(0, calls.front().find("LIBRARIES"));
  return names_in(call.starts_with("ROOMS ") ? call.substr(6) : "");
}

TEST(House, EachRoomIsInTheTable) {
  Rooms on_disk;
  for (const auto& entry : fs::directory_iterator(kRoot / "berth")) {
    if (entry.is_directory()) on_disk.insert(entry.path().filename().string());
  }
  Rooms in_table;
  for (const auto& [room, allowed] : table_of_rooms()) in_table.insert(room);
  EXPECT_EQ(on_disk, in_table);
  EXPECT_GE(in_table.size(), 8U);
}

TEST(House, ARoomIncludesOnlyWhatItsRowAllows) {
  for (const auto& [room, allowed] : table_of_rooms()) {
    for (const std::string& included : included_rooms(kRoot / "berth" / room)) {
      EXPECT_TRUE(included == room || allowed.contains(included))
          << room << " includes " << included;
    }
  }
}

TEST(House, ARoomLinksWhatItsRowAllowsAndNothingElse) {
  for (const auto& [room, allowed] : table_of_rooms()) EXPECT_EQ(linked_rooms(room), allowed);
}

TEST(House, PublicHeadersKeepLibrariesInside) {
  const std::vector<std::string> libraries = {"fmt/",    "nlohmann/", "flatbuffers/",
                                              "CLI/",    "openssl/",  "benchmark/",
                                              "toml++/", "coin/",     "google/"};
  for (const auto& file : fs::recursive_directory_iterator(kRoot / "berth")) {
    if (file.path().extension() != ".h") continue;
    for (const std::string& library : libraries) {
      EXPECT_EQ(text_of(file.path()).find("#include <" + library), std::string::npos)
          << file.path();
    }
  }
}

}  // namespace

// The list of operators in docs/formats/onnx.md is that of the rules.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "berth/model/rule.h"

namespace berth {
namespace {

// Lines "DOMAIN: OP OP ...", the standard's first, each list in alphabetical order.
std::string list_of_rules() {
  std::map<std::string, std::set<std::string>> names;
  for (const RuleRow& row : all_rules()) names[std::string(row.domain)].emplace(row.op);
  std::string list;
  for (const auto& [domain, ops] : names) {
    std::string line = (domain.empty() ? std::string("ai.onnx") : domain) + ":";
    for (const std::string& op : ops) {
      if (line.size() + op.size() > 100) {
        list += line + "\n";
        line = " ";
      }
      line += " " + op;
    }
    list += line + "\n";
  }
  return list;
}

TEST(OperatorsPage, ListsTheOperatorsThatHaveARule) {
  std::ifstream file(BERTH_ROOT "/docs/formats/onnx.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(page.find("```operators\n" + list_of_rules() + "```"), std::string::npos)
      << "it should say\n"
      << list_of_rules();
}

TEST(OperatorsPage, NoOperatorHasTwoRules) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const RuleRow& row : all_rules()) {
    EXPECT_TRUE(seen.emplace(row.domain, row.op).second) << row.domain << " " << row.op;
  }
}

}  // namespace
}  // namespace berth

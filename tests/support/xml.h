#pragma once

#include <string>
#include <string_view>

namespace berth::test {

// Why `text` is not well-formed XML, with the byte at which it is seen; empty if it is. Knows what
// our pictures use: a declaration, elements, attributes in double quotes, named and numeric
// references, UTF-8.
std::string xml_fault(std::string_view text);

}  // namespace berth::test

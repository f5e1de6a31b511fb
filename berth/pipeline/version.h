#pragma once

namespace berth {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace berth

#include "berth/ir/deployment.h"

namespace berth {

Bytes StateClass::held() const {
  return *checked_multiply(bytes, instances);
}

Bytes StateClass::moved_by_all() const {
  return *checked_multiply(moved, instances);
}

}  // namespace berth

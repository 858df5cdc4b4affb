#include "abut/core/version.hpp"

namespace abut {

const char* version() {
  return ABUT_VERSION;
}

}  // namespace abut

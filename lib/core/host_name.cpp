// SPDX-License-Identifier: Apache-2.0
#include "core/api/host_name.hpp"

#include <unistd.h>

namespace tessera {

std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown-host";
}

}  // namespace tessera

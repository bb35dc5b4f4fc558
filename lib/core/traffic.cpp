// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/traffic.hpp"

namespace tessera {

traffic& traffic_of_thread() {
  thread_local traffic moved;
  return moved;
}

}  // namespace tessera

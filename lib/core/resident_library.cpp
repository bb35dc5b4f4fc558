// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/resident_library.hpp"

namespace tessera {

namespace {

std::vector<resident_library>& known_libraries() {
  static std::vector<resident_library> libraries;
  return libraries;
}

}  // namespace

bool register_resident_library(const resident_library& library) {
  known_libraries().push_back(library);
  return true;
}

const std::vector<resident_library>& resident_libraries() { return known_libraries(); }

void prepare_resident_libraries() {
  for (const resident_library& library : known_libraries()) library.prepare();
}

}  // namespace tessera

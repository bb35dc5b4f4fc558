// SPDX-License-Identifier: Apache-2.0
//
// A program that turns into a worker if its environment says so, and else makes an executor.
//
// usage: worker_program <executor>
#include "tessera/executor/executors.hpp"
#include "tessera/runtime/runtime.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  const tessera::runtime around{argc, argv};
  if (argc != 2) return 2;
  // The build is a part of the text, so that two builds of this source differ.
  std::printf("%s in build %d\n", tessera::make_executor(argv[1])->name().c_str(),
              TESSERA_BUILD_OF_PROGRAM);
  return 0;
}

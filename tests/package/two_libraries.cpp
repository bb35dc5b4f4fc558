// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <dlfcn.h>
#include <future>

namespace {

using function = double (*)();

/// Returns a function of a library. The library is loaded as an interpreter loads modules.
function load(const char* library, const char* name) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return loaded == nullptr ? nullptr : reinterpret_cast<function>(dlsym(loaded, name));
}

}  // namespace

/// Calls two libraries that use Tessera at the same time.
int main() {
  const function squares = load("./libsquares.so", "sum_of_squares");
  const function cubes = load("./libcubes.so", "sum_of_cubes");
  if (squares == nullptr || cubes == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  for (int round = 0; round < 3; ++round) {
    auto first = std::async(std::launch::async, squares);
    const double second = cubes();
    // n (n + 1) (2 n + 1) / 6 and (n (n + 1) / 2)^2 with n = 9.
    if (first.get() != 285 || second != 2025) return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <exception>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

namespace {

/// Tells whether this program has an engine; one that finds nothing to run on may refuse to be
/// made.
bool has_engine(const std::string& name) {
  try {
    (void)ts::make_executor(name);
  } catch (const std::exception& error) {
    return std::string(error.what()).find("is not part of this program") == std::string::npos;
  }
  return true;
}

}  // namespace

/// The arguments name the engines of the components that the program was linked with.
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (!has_engine(argv[i])) return EXIT_FAILURE;
  }
  const auto x = ts::arange<double>(10.0, {.chunks = {4}});
  const double sum = ts::sum(x * x + 1.0).compute();
  return sum == 295.0 ? EXIT_SUCCESS : EXIT_FAILURE;  // 0 + 1 + 4 + ... + 81 + 10
}

// SPDX-License-Identifier: Apache-2.0

/// \file
/// The program of a project that uses the installed package by CMake or by pkg-config and make, or
/// builds Tessera as a subproject.
///
/// Prints 5.0, the mean speed of a wind with components of 3 m/s and 4 m/s.

#include <iostream>
#include <tessera/core.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto u = ts::full<double>({365, 1000}, 3.0, {.chunks = {73, 1000}});
  const auto v = ts::full<double>({365, 1000}, 4.0, {.chunks = {73, 1000}});
  std::cout << ts::mean(ts::sqrt(u * u + v * v)).compute() << '\n';
}

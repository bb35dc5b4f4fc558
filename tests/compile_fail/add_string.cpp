// tessera::add(a, b), a + b: requires each operand to be an array expression or a C++ number
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  const auto a1 = ts::zeros<double>({3});
  const auto a2 = ts::zeros<double>({3, 3});
  const auto a3 = ts::zeros<double>({3, 3, 3});
#ifdef POSITIVE
  const double name = 2;
  static_cast<void>(a2 + name);
#else
  const std::string name = "u";
  static_cast<void>(a2 + name);
#endif
  return static_cast<int>(a1.size() + a2.size() + a3.size());
}

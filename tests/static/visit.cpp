// SPDX-License-Identifier: Apache-2.0
/// \file
/// A program that visits an array with the function of the documentation of `visit`.

#include "tessera/tessera.hpp"

#include <cstddef>
#include <iostream>

namespace ts = tessera;

int main() {
  const auto greatest = []<ts::real_element T, std::size_t N>(const ts::array<T, N>& a) {
    const T result = ts::max(a).compute();
    return static_cast<double>(result);
  };
  std::cout << ts::visit(ts::open_any("maps.zarr"), greatest) << '\n';
}

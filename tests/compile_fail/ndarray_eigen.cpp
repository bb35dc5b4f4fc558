// tessera::ndarray::eigen(): requires #include <tessera/kernel/eigen.hpp>
// SPDX-License-Identifier: Apache-2.0
#include <tessera/array/ndarray.hpp>
#ifdef POSITIVE
#include <tessera/kernel/eigen.hpp>
#endif

namespace ts = tessera;

int main() {
  const ts::ndarray<double, 2> m({2, 2});
  return static_cast<int>(m.eigen().size());
}

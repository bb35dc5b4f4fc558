// op::sum{}, ..., and where(!isnan(x)) behind the axis, which leaves NaN out
// SPDX-License-Identifier: Apache-2.0
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main() {
  auto x = ts::ones<double>({4, 4});
  auto labels = ts::arange<int>(4);
#ifdef POSITIVE
  auto means =
      ts::groupby_reduce(x, labels, ts::op::mean{}, 4, ts::axis<0>, ts::where(!ts::isnan(x)));
#else
  auto means = ts::groupby_reduce(x, labels, ts::op::nanmean{}, 4, ts::axis<0>);
#endif
  return static_cast<int>(means.size());
}

// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/function/elementwise.hpp"

#include "unit/array/print_cases.hpp"

namespace tessera::testing {
namespace {

void print_axis_orders(const array<int, 3>& x) {
  same("x.T", x.T());
  same("np.swapaxes(x, -1, -2)", x.mT());
  same("x.T", transpose(x));
  same("np.moveaxis(x, 0, 2)", moveaxis(x, axis<0>, axis<2>));
  same("np.moveaxis(x, -1, 0)", moveaxis(x, axis<-1>, axis<0>));
  same("np.moveaxis(x, [2, 0], [0, 1])", moveaxis(x, axis<2, 0>, axis<0, 1>));
  same("np.moveaxis(x, [0, 1, 2], [-1, 0, 1])", moveaxis(x, axis<0, 1, 2>, axis<-1, 0, 1>));
  same("np.swapaxes(x, 0, 2)", swapaxes(x, axis<0>, axis<2>));
  same("np.swapaxes(x, 1, -3)", swapaxes(x, axis<1>, axis<-3>));
  same("np.swapaxes(x, 1, 1)", swapaxes(x, axis<1>, axis<1>));
  same("np.rollaxis(x, 2)", rollaxis(x, axis<2>));
  same("np.rollaxis(x, 0, 3)", rollaxis(x, axis<0>, axis<3>));
  same("np.rollaxis(x, 1, -1)", rollaxis(x, axis<1>, axis<-1>));
  same("np.rollaxis(x, -1, 1)", rollaxis(x, axis<-1>, axis<1>));
  same("np.flipud(x)", flipud(x));
  same("np.fliplr(x)", fliplr(x));
  same("np.rot90(x)", rot90(x));
  same("np.rot90(x, 2)", rot90(x, 2));
  same("np.rot90(x, 3, (0, 2))", rot90(x, 3, axis<0, 2>));
  same("np.rot90(x, -5, (-1, 1)) * 2", rot90(x, -5, axis<-1, 1>) * 2);
  same("np.rot90(x, 4) - x", rot90(x, 4) - x);
}

void print_blocks() {
  const auto x = named("b", numbers<int>({7, 5}, {3, 2}));
  same("b[0:3]", x.blocks(0));
  same("b[6:7, 2:4]", x.blocks(-1, 1));
  same("b[3:7]", x.blocks(slice(1, none)));
  same("b[0:6, 4:5]", x.blocks(slice(2), -1));
  same("b[:, 2:5]", x.blocks(ellipsis, slice(1, 9)));
  same("b[3:6, :]", x.blocks(1, ellipsis));
  same("b[:, 0:4]", x.blocks(whole, slice(0, 2)));
  same("b[:0]", x.blocks(slice(2, 1)));
  same("b[:, 2:4]", x.blocks(ellipsis, slice(none), 1));
  same("b[6:7] + 1", (x + 1).blocks(2));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_axis_orders(named("x", numbers<int>({2, 3, 4}, {1, 2, 3})));
  print_axis_orders(named("x", numbers<int>({5, 5, 1}, {2, 5, 1})));
  print_axis_orders(named("x", numbers<int>({3, 0, 2})));
  print_blocks();
}

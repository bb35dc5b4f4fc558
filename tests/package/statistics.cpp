// SPDX-License-Identifier: Apache-2.0
//
// A library that uses Tessera, and that is compiled twice: NAME is its function, POWER an exponent.
#include <tessera/core.hpp>
#include <tessera/function/map.hpp>

namespace ts = tessera;

namespace {

/// Both libraries have a type of this name.
struct raised {
  double operator()(double x) const {
    double result = 1;
    for (int i = 0; i < POWER; ++i) result *= x;
    return result;
  }
};

}  // namespace

/// Returns the sum of the powers of 0 to 9.
extern "C" double NAME() {
  const auto x = ts::arange<double>(10.0, {.chunks = {3}});
  return ts::sum(ts::map(raised{}, x)).compute({.executor = ts::executors::threads(2)});
}

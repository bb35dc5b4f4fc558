// SPDX-License-Identifier: Apache-2.0

#include "tessera/tessera.hpp"

#include "property/random_steps.hpp"

#include <vector>

namespace random_steps {

namespace {

namespace ts = tessera;

step draw_order(const draw& pick) {
  switch (pick(0, 4)) {
    case 0:
      return {"sort 0", [](const matrix& x, const matrix&) { return ts::sort(x, ts::axis<0>); }};
    case 1:
      return {"sort 1", [](const matrix& x, const matrix&) { return ts::sort(x); }};
    case 2:
      return {"argsort 0", [](const matrix& x, const matrix&) {
                return ts::astype<double>(ts::argsort(x, ts::axis<0>));
              }};
    case 3:
      return {"take sorted", [](const matrix& x, const matrix& y) {
                return ts::take_along_axis(x, ts::argsort(y, ts::axis<1>), ts::axis<1>);
              }};
    default:
      return {"topk 1", [](const matrix& x, const matrix&) { return ts::topk(x, 1, ts::axis<1>); }};
  }
}

step draw_quantile(const draw& pick) {
  const double q = static_cast<double>(pick(0, 4)) / 4;
  switch (pick(0, 2)) {
    case 0:
      return {"median 1", [](const matrix& x, const matrix&) {
                return ts::median(x, ts::axis<1>, ts::keepdims);
              }};
    case 1:
      return {"x - quantile 0", [=](const matrix& x, const matrix& y) {
                return x - ts::quantile(y, q, ts::axis<0>, ts::keepdims);
              }};
    default:
      return {"quantiles 1", [=](const matrix& x, const matrix&) {
                return ts::quantile(x, std::vector<double>{q, 0.1, 0.9}, ts::axis<1>);
              }};
  }
}

}  // namespace

step draw_line(const draw& pick, bool has_libraries) {
  switch (pick(has_libraries ? 0 : 2, 3)) {
    case 0:
      return {"fft 0", [](const matrix& x, const matrix&) {
                return ts::real(ts::fft(x, ts::axis<0>)) / 8.0;
              }};
    case 1:
      return {"fft 1", [](const matrix& x, const matrix&) {
                return ts::abs(ts::fft(x, ts::axis<1>)) / 8.0;
              }};
    case 2:
      return draw_quantile(pick);
    default:
      return draw_order(pick);
  }
}

}  // namespace random_steps

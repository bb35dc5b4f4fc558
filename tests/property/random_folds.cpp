// SPDX-License-Identifier: Apache-2.0

#include "tessera/tessera.hpp"

#include "property/random_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace random_steps {

namespace {

namespace ts = tessera;

step draw_deviation(const draw& pick) {
  switch (pick(0, 4)) {
    case 0:
      return {"x - mean 0", [](const matrix& x, const matrix& y) {
                return x - ts::mean(y, ts::axis<0>, ts::keepdims);
              }};
    case 1:
      return {"x - mean 1", [](const matrix& x, const matrix& y) {
                return x - ts::mean(y, ts::axis<1>, ts::keepdims);
              }};
    case 2:
      return {"x / max",
              [](const matrix& x, const matrix& y) { return x / (1.0 + ts::abs(ts::max(y))); }};
    case 3:
      return {"standard", [](const matrix& x, const matrix&) {
                return (x - ts::mean(x, ts::axis<0>, ts::keepdims)) /
                       (1.0 + ts::stddev(x, ts::axis<0>, ts::keepdims));
              }};
    default:
      return {"x - min 1", [](const matrix& x, const matrix& y) {
                return x - ts::min(x + y, ts::axis<1>, ts::keepdims);
              }};
  }
}

step draw_reduction(const draw& pick) {
  switch (pick(0, 4)) {
    case 0:
      return {"sum 1",
              [](const matrix& x, const matrix&) { return ts::sum(x, ts::axis<1>, ts::keepdims); }};
    case 1:
      return {"var 0",
              [](const matrix& x, const matrix&) { return ts::var(x, ts::axis<0>, ts::keepdims); }};
    case 2:
      return {"average 0", [](const matrix& x, const matrix& y) {
                return ts::average(x, 1.0 + ts::abs(y), ts::axis<0>, ts::keepdims);
              }};
    case 3:
      return {"argmax 1", [](const matrix& x, const matrix&) {
                return ts::astype<double>(ts::argmax(x, ts::axis<1>, ts::keepdims));
              }};
    default:
      return {"sum x * y", [](const matrix& x, const matrix& y) {
                return ts::sum(x * y, ts::axis<0>, ts::keepdims);
              }};
  }
}

step draw_groups(const draw& pick, extents of) {
  std::vector<std::int64_t> labels;
  for (index_t i = 0; i < of.rows; ++i) labels.push_back(pick(0, 2));
  const index_t length = of.columns % 2 == 0 ? 2 : 1;
  switch (pick(0, 3)) {
    case 0:
      return {"groups", [=](const matrix& x, const matrix&) {
                return ts::groupby_reduce(x, ts::asarray(labels), ts::op::sum{}, 3, ts::axis<0>);
              }};
    case 1:
      return {"groups of y", [](const matrix& x, const matrix& y) {
                const auto groups =
                    ts::astype<std::int64_t>(ts::clip(ts::round(ts::abs(y(0))), 0.0, 3.0));
                return ts::groupby_reduce(x, groups, ts::op::mean{}, 4, ts::axis<1>);
              }};
    case 2:
      return {"coarsen", [=](const matrix& x, const matrix&) {
                return ts::coarsen(ts::op::mean{}, x, {index_t{1}, length});
              }};
    default:
      return {"histogram", [](const matrix& x, const matrix& y) {
                const auto counts = ts::histogram(x, ts::bins{6, -9, 9}, ts::weights(y));
                return ts::reshape(ts::astype<double>(counts), {2, 3});
              }};
  }
}

step draw_scan(const draw& pick, extents of) {
  const index_t length = pick(1, std::min<index_t>(of.rows, 5));
  switch (pick(0, 3)) {
    case 0:
      return {"cumulative sum 0",
              [](const matrix& x, const matrix&) { return ts::cumulative_sum(x, ts::axis<0>); }};
    case 1:
      return {"cumulative sum 1",
              [](const matrix& x, const matrix&) { return ts::cumulative_sum(x, ts::axis<1>); }};
    case 2:
      return {"rolling mean 0", [=](const matrix& x, const matrix&) {
                return ts::rolling_mean(x, length, ts::axis<0>);
              }};
    default:
      return {"rolling max 0", [=](const matrix& x, const matrix&) {
                return ts::rolling_max(x, length, ts::axis<0>);
              }};
  }
}

}  // namespace

step draw_fold(const draw& pick, extents of) {
  switch (pick(0, 3)) {
    case 0:
      return draw_deviation(pick);
    case 1:
      return draw_reduction(pick);
    case 2:
      return draw_groups(pick, of);
    default:
      return draw_scan(pick, of);
  }
}

}  // namespace random_steps

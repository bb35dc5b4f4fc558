// SPDX-License-Identifier: Apache-2.0

#include "tessera/tessera.hpp"

#include "property/random_steps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace random_steps {

namespace {

namespace ts = tessera;

std::vector<index_t> indices_below(const draw& pick, index_t extent) {
  std::vector<index_t> list(static_cast<std::size_t>(pick(1, extent + 2)));
  for (index_t& index : list) index = pick(0, extent - 1);
  return list;
}

/// Elements of `x`, rounded to indices below `extent`.
auto indices_of(const auto& x, index_t extent) {
  return ts::astype<std::int64_t>(
      ts::clip(ts::round(ts::abs(x)), 0.0, static_cast<double>(extent - 1)));
}

step draw_elements(const draw& pick, extents of) {
  const auto seed = static_cast<std::uint64_t>(pick(0, 9));
  const std::array<index_t, 2> chunks{pick(1, of.rows), pick(1, of.columns)};
  switch (pick(0, 4)) {
    case 0:
      return {"x + y", [](const matrix& x, const matrix& y) { return x + y; }};
    case 1:
      return {"where", [](const matrix& x, const matrix& y) { return ts::where(x > y, x, -y); }};
    case 2:
      return {"sqrt", [](const matrix& x, const matrix&) { return ts::sqrt(ts::abs(x)); }};
    case 3:
      return {"x * y", [](const matrix& x, const matrix& y) { return ts::clip(x * y, -9.0, 9.0); }};
    default:
      return {"x + uniform", [=](const matrix& x, const matrix&) {
                return x + ts::random::uniform<double>({of.rows, of.columns},
                                                       {.chunks = chunks, .seed = seed});
              }};
  }
}

step draw_view(const draw& pick, extents of) {
  const index_t first = pick(0, of.rows - 1);
  const index_t stride = pick(1, 3);
  const std::array<index_t, 2> chunks{pick(1, of.rows), pick(1, of.columns)};
  switch (pick(0, 6)) {
    case 0:
      return {"flip 0", [](const matrix& x, const matrix&) { return ts::flip(x, ts::axis<0>); }};
    case 1:
      return {"transpose", [](const matrix& x, const matrix&) { return ts::matrix_transpose(x); }};
    case 2:
      return {"slice", [=](const matrix& x, const matrix&) {
                return x(ts::slice(first, ts::none, stride));
              }};
    case 3:
      return {"slice back", [=](const matrix& x, const matrix&) {
                return x(ts::whole, ts::slice(ts::none, ts::none, -stride));
              }};
    case 4:
      return {"broadcast", [=](const matrix& x, const matrix&) {
                return ts::broadcast_to(x(first), {of.rows, of.columns});
              }};
    case 5:
      return {"diff", [=](const matrix& x, const matrix&) {
                return of.rows > 1 ? matrix(ts::diff(x, ts::axis<0>)) : x;
              }};
    default:
      return {"rechunk", [=](const matrix& x, const matrix&) { return ts::rechunk(x, chunks); }};
  }
}

step draw_pieces(const draw& pick, extents of) {
  const index_t shift = pick(-of.rows, of.rows);
  const index_t before = pick(0, 2);
  const index_t behind = pick(0, 2);
  switch (pick(0, 5)) {
    case 0:
      return {"roll 0",
              [=](const matrix& x, const matrix&) { return ts::roll(x, shift, ts::axis<0>); }};
    case 1:
      return {"roll 1",
              [=](const matrix& x, const matrix&) { return ts::roll(x, shift, ts::axis<1>); }};
    case 2:
      return {"pad", [=](const matrix& x, const matrix&) {
                return ts::pad(x, {{before, behind}, {behind, 0}}, ts::boundary::edge);
              }};
    case 3:
      return {"x + roll", [](const matrix& x, const matrix&) {
                return x + ts::roll(x, 1, ts::axis<0>) - ts::roll(x, -1, ts::axis<1>);
              }};
    case 4:
      return {"concat 1",
              [](const matrix& x, const matrix& y) { return ts::concat(x, y, ts::axis<1>); }};
    default:
      return {"concat 0",
              [](const matrix& x, const matrix& y) { return ts::concat(x, y, ts::axis<0>); }};
  }
}

step draw_list(const draw& pick, extents of) {
  const std::vector<index_t> rows = indices_below(pick, of.rows);
  const std::vector<index_t> columns = indices_below(pick, of.columns);
  const index_t count = pick(1, 2);
  switch (pick(0, 6)) {
    case 0:
      return {"take 0",
              [=](const matrix& x, const matrix&) { return ts::take(x, rows, ts::axis<0>); }};
    case 1:
      return {"take 1",
              [=](const matrix& x, const matrix&) { return ts::take(x, columns, ts::axis<1>); }};
    case 2:
      return {"take 0 at y", [=](const matrix& x, const matrix& y) {
                return ts::take(x, indices_of(y(ts::whole, 0), of.rows), ts::axis<0>);
              }};
    case 3:
      return {"take along 1", [=](const matrix& x, const matrix& y) {
                return ts::take_along_axis(x, indices_of(y, of.columns), ts::axis<1>);
              }};
    case 4:
      return {"repeat",
              [=](const matrix& x, const matrix&) { return ts::repeat(x, count, ts::axis<0>); }};
    case 5:
      return {"tile", [=](const matrix& x, const matrix&) { return ts::tile(x, {1, count}); }};
    default:
      return {"reshape", [=](const matrix& x, const matrix&) {
                return ts::reshape(x, {of.columns, of.rows});
              }};
  }
}

}  // namespace

step draw_map(const draw& pick, extents of) {
  switch (pick(0, 3)) {
    case 0:
      return draw_elements(pick, of);
    case 1:
      return draw_view(pick, of);
    case 2:
      return draw_pieces(pick, of);
    default:
      return draw_list(pick, of);
  }
}

}  // namespace random_steps

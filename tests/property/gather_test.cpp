// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs with lists of indices and other shapes, against plain loops, with random chunks,
/// placements, passes and executors.

#include "property/samples.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace {

using namespace samples;

std::vector<index_t> pick_list(index_t extent, index_t most) {
  std::vector<index_t> list(static_cast<std::size_t>(pick(0, most)));
  for (index_t& index : list) index = pick(-extent, extent - 1);
  return list;
}

index_t from_first(const std::vector<index_t>& list, index_t i, index_t extent) {
  const index_t index = list[static_cast<std::size_t>(i)];
  return index < 0 ? index + extent : index;
}

/// Returns the array of `shape` that has the elements of `x` in their order.
dense reshaped(const dense& x, std::vector<index_t> shape) { return {std::move(shape), x.values}; }

RC_GTEST_PROP(Gather, ListsSelectAsNumPysDo, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto rows = pick_list(shape[0], 12);
  const auto columns = pick_list(shape[2], 12);
  const index_t at1 = pick(0, shape[1] - 1);
  const auto selection = a.array(ts::index(rows), at1, ts::index(columns));
  const std::vector<index_t> result_shape{static_cast<index_t>(rows.size()),
                                          static_cast<index_t>(columns.size())};
  const dense expected = reference::make(result_shape, [&](const position& at) {
    return a.values({from_first(rows, at[0], shape[0]), at1, from_first(columns, at[1], shape[2])});
  });
  expect_equal(compute(selection, spec), expected);
  expect_equal(compute(selection * 2.0 + selection(ts::slice(ts::none, ts::none, -1)), spec),
               reference::make(result_shape, [&](const position& at) {
                 return 2 * expected(at) + expected({result_shape[0] - 1 - at[0], at[1]});
               }));
}

/// Returns indices into `extent` elements, counted from either end, in both worlds.
template <std::size_t N>
sample<N> pick_indices(const std::vector<index_t>& shape, index_t extent, const ts::spec& spec) {
  return place<N>(
      reference::make(
          shape, [&](const position&) { return static_cast<double>(pick(-extent, extent - 1)); }),
      spec);
}

index_t at_index(const dense& indices, const position& at, index_t extent) {
  const auto index = static_cast<index_t>(indices(at));
  return index < 0 ? index + extent : index;
}

RC_GTEST_PROP(Gather, LazyListsSelectAsNumPysDo, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto rows = pick_indices<1>({pick(0, 12)}, shape[0], spec);
  const auto columns = pick_indices<2>({pick(0, 5), pick(0, 5)}, shape[2], spec);
  const index_t at1 = pick(0, shape[1] - 1);
  const auto i = ts::astype<std::int64_t>(rows.array);
  const auto j = ts::astype<std::int32_t>(columns.array);
  const std::vector<index_t> result_shape{rows.values.shape[0], columns.values.shape[0],
                                          columns.values.shape[1]};
  const auto selection = ts::take(a.array(ts::index(i), at1), j, ts::axis<1>);
  const dense expected = reference::make(result_shape, [&](const position& at) {
    return a.values({at_index(rows.values, {at[0]}, shape[0]), at1,
                     at_index(columns.values, {at[1], at[2]}, shape[2])});
  });
  expect_equal(compute(selection, spec), expected);
  expect_equal(compute(selection * 2.0 + selection(ts::slice(ts::none, ts::none, -1)), spec),
               reference::make(result_shape, [&](const position& at) {
                 return 2 * expected(at) + expected({result_shape[0] - 1 - at[0], at[1], at[2]});
               }));
}

RC_GTEST_PROP(Gather, LazyIndicesOfEachElementSelectAsNumPysDo, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto rows = pick_indices<2>({pick(0, 9), shape[1]}, shape[0], spec);
  const auto columns = pick_indices<1>({shape[1]}, shape[1], spec);
  const auto i = ts::astype<std::int64_t>(rows.array);
  const auto j = ts::astype<std::int16_t>(columns.array);
  const dense along = reference::make(rows.values.shape, [&](const position& at) {
    return a.values({at_index(rows.values, at, shape[0]), at[1]});
  });
  expect_equal(compute(ts::take_along_axis(a.array, i, ts::axis<0>) - 1.0, spec),
               reference::make(along.shape, [&](const position& at) { return along(at) - 1; }));
  expect_equal(compute(ts::sum(ts::take_along_axis(a.array, i, ts::axis<0>), ts::axis<0>), spec),
               reference::fold(along, {true, false}, sum_of));
  expect_equal(
      compute(a.array.at(i, j), spec), reference::make(rows.values.shape, [&](const position& at) {
        return a.values(
            {at_index(rows.values, at, shape[0]), at_index(columns.values, {at[1]}, shape[1])});
      }));
}

RC_GTEST_PROP(Gather, OtherShapesKeepTheOrder, ()) {
  const ts::spec spec = pick_spec();
  const auto factors = pick_extents<4>(1, 5);
  const auto a = pick_sample<2>({factors[0] * factors[1], factors[2] * factors[3]}, spec);
  const std::vector<index_t> to{factors[0], factors[1] * factors[2] * factors[3]};
  const auto shown = ts::reshape(a.array + 1.0, {to[0], to[1]});
  const dense moved =
      reference::make(a.values.shape, [&](const position& at) { return a.values(at) + 1; });
  expect_equal(compute(shown, spec), reshaped(moved, to));
  expect_equal(compute(ts::sum(shown, ts::axis<0>), spec),
               reference::fold(reshaped(moved, to), {true, false}, sum_of));
  const auto b = pick_sample<2>({to[0], to[1]}, spec);
  expect_equal(compute(shown * b.array, spec), reference::make(to, [&](const position& at) {
                 return reshaped(moved, to)(at) * b.values(at);
               }));
  expect_equal(compute(ts::ravel(ts::permute_dims(shown, ts::axis<1, 0>)), spec),
               reshaped(reference::make({to[1], to[0]},
                                        [&](const position& at) {
                                          return reshaped(moved, to)({at[1], at[0]});
                                        }),
                        {to[0] * to[1]}));
}

RC_GTEST_PROP(Gather, MasksSelectInOrder, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(0, 9);
  const auto a = pick_sample(shape, spec);
  std::vector<double> expected;
  for (const double value : a.values.values) {
    if (value > 0) expected.push_back(value);
  }
  const dense selected{{static_cast<index_t>(expected.size())}, expected};
  expect_equal(compute(a.array(a.array > 0.0), spec), selected);
  const auto numbers = ts::flatnonzero(a.array > 0.0);
  RC_ASSERT(numbers.size() == static_cast<index_t>(expected.size()));
  for (index_t i = 0; i < numbers.size(); ++i) {
    RC_ASSERT(a.values.values[static_cast<std::size_t>(numbers(i))] ==
              expected[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs on random arrays against plain loops, with random chunks, placements, passes and
/// executors. Elements are small integers, so sums are exact.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace samples;

RC_GTEST_PROP(Program, ElementwiseBroadcastsAsNumPyDoes, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto b =
      pick_sample<3>({pick(0, 1) ? shape[0] : 1, shape[1], pick(0, 1) ? shape[2] : 1}, spec);
  const auto w = pick_sample<1>({shape[2]}, spec);
  const auto expected = reference::make(a.values.shape, [&](const position& at) {
    const position in_b{b.values.shape[0] == 1 ? 0 : at[0], at[1],
                        b.values.shape[2] == 1 ? 0 : at[2]};
    return a.values(at) * b.values(in_b) + w.values({at[2]}) - 2 * a.values(at);
  });
  expect_equal(compute(a.array * b.array + w.array - 2.0 * a.array, spec), expected);
}

/// Python's slice of an axis: the indices that it selects.
std::vector<index_t> selected(index_t extent, index_t start, index_t stop, index_t step) {
  std::vector<index_t> indices;
  for (index_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (i >= 0 && i < extent) indices.push_back(i);
  }
  return indices;
}

RC_GTEST_PROP(Program, SlicesSelectAsPythonDoes, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 11);
  const auto a = pick_sample(shape, spec);
  const index_t start = pick(0, shape[0] - 1);
  const index_t stop = pick(start, shape[0]);
  const index_t step = pick(1, 3);
  const index_t back = pick(1, 3);
  const index_t at1 = pick(0, shape[1] - 1);
  const auto rows = selected(shape[0], start, stop, step);
  const auto columns = selected(shape[2], shape[2] - 1, -1, -back);
  const auto expected =
      reference::make({static_cast<index_t>(rows.size()), static_cast<index_t>(columns.size())},
                      [&](const position& at) {
                        return a.values({rows[static_cast<std::size_t>(at[0])], at1,
                                         columns[static_cast<std::size_t>(at[1])]});
                      });
  const auto view =
      a.array(ts::slice(start, stop, step), at1, ts::slice(ts::none, ts::none, -back));
  expect_equal(compute(view, spec), expected);
  expect_equal(compute(view + view, spec), reference::make(expected.shape, [&](const position& at) {
                 return 2 * expected(at);
               }));
}

RC_GTEST_PROP(Program, PermutedAndSlicedOperandsFuse, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(2, 9);
  const auto a = pick_sample(shape, spec);
  const auto b = pick_sample<3>({shape[2], shape[0], shape[1]}, spec);
  const auto sum = ts::permute_dims(a.array + 1.0, ts::axis<2, 0, 1>) * b.array;
  const auto difference = sum(ts::slice(1, ts::none)) - sum(ts::slice(ts::none, -1));
  const auto value = [&](index_t i, index_t j, index_t k) {
    return (a.values({j, k, i}) + 1) * b.values({i, j, k});
  };
  const auto expected =
      reference::make({shape[2] - 1, shape[0], shape[1]}, [&](const position& at) {
        return value(at[0] + 1, at[1], at[2]) - value(at[0], at[1], at[2]);
      });
  expect_equal(compute(difference, spec), expected);
}

RC_GTEST_PROP(Program, MatmulContractsWhateverTheChunks, ()) {
  const ts::spec spec = pick_spec();
  const auto n = pick_extents<3>(1, 40);
  const auto a = pick_sample<2>({n[0], n[1]}, spec);
  const auto b = pick_sample<2>({n[2], n[1]}, spec);
  const auto expected = reference::make({n[0], n[2]}, [&](const position& at) {
    double sum = 0;
    for (index_t k = 0; k < n[1]; ++k) sum += 2 * a.values({at[0], k}) * b.values({at[1], k});
    return sum;
  });
  expect_equal(compute(ts::matmul(a.array * 2.0, ts::permute_dims(b.array, ts::axis<1, 0>)), spec),
               expected);
}

RC_GTEST_PROP(Program, ProductsOfManyMatricesAreThoseOfEach, ()) {
  const ts::spec spec = pick_spec();
  const auto n = pick_extents<4>(1, 12);
  const auto a = pick_sample<3>({n[0], n[1], n[2]}, spec);
  const auto b = pick_sample<3>({pick(0, 1) ? n[0] : 1, n[2], n[3]}, spec);
  const auto expected = reference::make({n[0], n[1], n[3]}, [&](const position& at) {
    const index_t batch = b.values.shape[0] == 1 ? 0 : at[0];
    double sum = 0;
    for (index_t k = 0; k < n[2]; ++k) {
      sum += a.values({at[0], at[1], k}) * b.values({batch, k, at[2]});
    }
    return sum - 1;
  });
  expect_equal(compute(ts::matmul(a.array, b.array) - 1.0, spec), expected);
}

/// A product of matrices, a fold and a product of elements, of three arrays.
RC_GTEST_PROP(Program, EinsumSumsProductsWhateverTheChunks, ()) {
  const ts::spec spec = pick_spec();
  const auto n = pick_extents<4>(0, 8);
  const auto a = pick_sample<2>({n[0], n[1]}, spec);
  const auto b = pick_sample<3>({n[1], n[2], n[3]}, spec);
  const auto c = pick_sample<2>({n[2], n[0]}, spec);
  const auto term = [&](index_t i, index_t j, index_t k, index_t l) {
    return a.values({i, j}) * b.values({j, k, l}) * c.values({k, i});
  };
  const auto sum = [&](index_t first, index_t second, auto of) {
    double total = 0;
    for (index_t p = 0; p < first; ++p) {
      for (index_t q = 0; q < second; ++q) total += of(p, q);
    }
    return total;
  };
  expect_equal(compute(ts::einsum<"ij,jkl,ki->li">(a.array, b.array, c.array), spec),
               reference::make({n[3], n[0]}, [&](const position& at) {
                 return sum(n[1], n[2],
                            [&](index_t j, index_t k) { return term(at[1], j, k, at[0]); });
               }));
  expect_equal(compute(ts::einsum<"ij,jkl,ki->jk">(a.array, b.array, c.array), spec),
               reference::make({n[1], n[2]}, [&](const position& at) {
                 return sum(n[0], n[3],
                            [&](index_t i, index_t l) { return term(i, at[0], at[1], l); });
               }));
}

RC_GTEST_PROP(Program, ConcatAndStackAssemble, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto b = pick_sample<2>({pick(1, 9), shape[1]}, spec);
  const auto joined = ts::concat(a.array, b.array * 3.0, a.array, ts::axis<0>);
  const auto expected =
      reference::make({2 * shape[0] + b.values.shape[0], shape[1]}, [&](const position& at) {
        if (at[0] < shape[0]) return a.values(at);
        if (at[0] < shape[0] + b.values.shape[0]) return 3 * b.values({at[0] - shape[0], at[1]});
        return a.values({at[0] - shape[0] - b.values.shape[0], at[1]});
      });
  expect_equal(compute(joined, spec), expected);
  const auto c = pick_sample(shape, spec);
  expect_equal(compute(ts::stack(a.array, c.array, ts::axis<1>) + 1.0, spec),
               reference::make({shape[0], 2, shape[1]}, [&](const position& at) {
                 return (at[1] == 0 ? a : c).values({at[0], at[2]}) + 1;
               }));
}

RC_GTEST_PROP(Program, RechunkKeepsValues, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 30);
  const auto a = pick_sample(shape, spec);
  std::array<index_t, 2> chunks{pick(1, shape[0] + 3), pick(1, shape[1] + 3)};
  expect_equal(compute(ts::rechunk(a.array, chunks), spec), a.values);
  expect_equal(compute(ts::sum(ts::rechunk(a.array * 2.0, chunks), ts::axis<1>), spec),
               reference::fold(a.values, {false, true},
                               [](const std::vector<double>& x) { return 2 * sum_of(x); }));
}

RC_GTEST_PROP(Program, SeveralResultsShareWhatTheyHaveInCommon, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 15);
  const auto u = pick_sample(shape, spec);
  const auto v = pick_sample(shape, spec);
  ts::array<double, 2> x = u.array;
  const index_t rounds = pick(0, 4);
  for (index_t i = 0; i < rounds; ++i) x = x * 2.0 + v.array;
  const auto plan = ts::plan(pick_passes(), pick_run(), ts::mean(u.array * v.array, ts::axis<0>),
                             ts::mean(u.array * u.array, ts::axis<0>), x,
                             u.array - ts::mean(u.array, ts::axis<0>, ts::keepdims), x + x);
  const auto [uv, uu, loop, anomaly, twice] = plan.compute();
  const dense looped = reference::make(u.values.shape, [&](const position& at) {
    double value = u.values(at);
    for (index_t i = 0; i < rounds; ++i) value = value * 2 + v.values(at);
    return value;
  });
  const auto mean_rows = [&](const dense& x_, const dense& y) {
    return reference::fold(
        reference::make(x_.shape, [&](const position& at) { return x_(at) * y(at); }),
        {true, false}, mean_of);
  };
  expect_equal(uv, mean_rows(u.values, v.values));
  expect_equal(uu, mean_rows(u.values, u.values));
  expect_equal(loop, looped);
  expect_equal(twice,
               reference::make(looped.shape, [&](const position& at) { return 2 * looped(at); }));
  const dense mean = reference::fold(u.values, {true, false}, mean_of);
  expect_equal(anomaly, reference::make(u.values.shape, [&](const position& at) {
                 return u.values(at) - mean({at[1]});
               }));
}

/// Tells whether a plan writes anything between its tasks to storage.
bool stores_intermediates(const ts::bounded_plan& plan) {
  const ts::bounded_plan::implementation& inside = plan.inside();
  for (std::size_t i = 0; i < inside.arrays.size(); ++i) {
    const auto* placement = std::get_if<ts::stored_placement>(&inside.arrays[i].placement);
    const bool is_result = std::ranges::find(inside.outputs, i) != inside.outputs.end();
    if (placement != nullptr && placement->is_intermediate && !is_result) return true;
  }
  return false;
}

// A program whose limit is the need of its tasks has no memory left for intermediates.
TEST(TightMemory, PutsIntermediatesIntoStorageAndChangesNoValues) {
  int num_with_stored = 0;
  const bool holds = rc::check([&] {
    ts::spec spec = pick_spec();
    const auto shape = pick_extents<2>(2, 12);
    const dense values = pick_values({shape[0], shape[1]});
    const ts::ndarray<double, 2> elements(shape, values.values);
    const std::array<index_t, 2> chunks{pick(1, shape[0]), pick(1, shape[1])};
    const std::array<index_t, 2> others{pick(1, shape[0]), pick(1, shape[1])};
    const ts::pass_switches passes = pick_passes();
    const ts::run_with settings = pick_run();
    const auto planned = [&](bool has_memory_tier) {
      const auto a = ts::asarray(elements, {.chunks = chunks, .spec = spec});
      const auto b = ts::rechunk(a * 2.0, others);
      auto wanted = passes;
      wanted.memory_tier = has_memory_tier;
      return ts::plan(wanted, settings, ts::matmul(ts::matrix_transpose(b), b + 1.0),
                      b - ts::max(b, ts::axis<0>, ts::keepdims));
    };
    spec.allowed_memory = planned(false).projected_memory();
    const auto plan = planned(true);
    num_with_stored += stores_intermediates(plan.bounded()) ? 1 : 0;
    const auto [product, below] = plan.compute();
    expect_equal(product, reference::make({shape[1], shape[1]}, [&](const position& at) {
                   double sum = 0;
                   for (index_t k = 0; k < shape[0]; ++k) {
                     sum += 2 * values({k, at[0]}) * (2 * values({k, at[1]}) + 1);
                   }
                   return sum;
                 }));
    const dense most = reference::fold(values, {true, false}, [](const std::vector<double>& x) {
      return *std::max_element(x.begin(), x.end());
    });
    expect_equal(below, reference::make(values.shape, [&](const position& at) {
                   return 2 * values(at) - 2 * most({at[1]});
                 }));
  });
  EXPECT_TRUE(holds);
  // About one plan in ten: most are run in one place, or keep nothing between their tasks.
  EXPECT_GT(num_with_stored, 0);
}

RC_GTEST_PROP(Program, ZeroExtentsWorkEverywhere, ()) {
  const ts::spec spec = pick_spec();
  auto shape = pick_extents<2>(1, 5);
  shape[static_cast<std::size_t>(pick(0, 1))] = 0;
  const auto a = pick_sample(shape, spec);
  expect_equal(compute(a.array + 1.0, spec), a.values);
  expect_equal(compute(ts::sum(a.array, ts::axis<0>), spec),
               reference::fold(a.values, {true, false}, sum_of));
  expect_equal(compute(ts::sum(a.array), spec), dense{{}, {0.0}});
  expect_equal(compute(ts::matmul(ts::permute_dims(a.array, ts::axis<1, 0>), a.array), spec),
               reference::make({shape[1], shape[1]}, [](const position&) { return 0.0; }));
}

}  // namespace

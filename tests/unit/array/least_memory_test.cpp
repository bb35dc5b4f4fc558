// SPDX-License-Identifier: Apache-2.0
/// \file
/// A refusal for want of memory names an amount, and a plan with this amount succeeds.

#include "tessera/array/factors.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/open.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/array/solving.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/cumulative.hpp"
#include "tessera/function/fft.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/quantiles.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Returns the amount behind the last "at least " or "above " of a refusal: "1.2 MB (1,234,567 B)".
std::optional<bytes> named_amount(const std::string& refusal) {
  std::size_t begin = std::string::npos;
  for (const std::string lead : {"memory of at least ", "allowed_memory above "}) {
    const std::size_t position = refusal.rfind(lead);
    if (position != std::string::npos) begin = position + lead.size();
  }
  if (begin == std::string::npos) return std::nullopt;
  if (const std::size_t exact = refusal.find(" (", begin); exact != std::string::npos) {
    std::string digits = refusal.substr(exact + 2);
    std::erase(digits, ',');
    return bytes{std::stoull(digits)};
  }
  std::istringstream text(refusal.substr(begin));
  double amount = 0;
  std::string unit;
  text >> amount >> unit;
  const double factor = unit.starts_with("GB")   ? 1e9
                        : unit.starts_with("MB") ? 1e6
                        : unit.starts_with("kB") ? 1e3
                                                 : 1;
  return bytes{static_cast<std::uint64_t>(std::llround(amount * factor))};
}

using planner = std::function<void(const array<double, 2>&)>;

/// Returns the refusal of a plan of `function` for an array in a store, or "" if there is a plan.
std::string refusal_of(const planner& function, const index_vector& shape,
                       const index_vector& chunks, bytes allowed) {
  const auto store = std::make_shared<memory_store>();
  zarr_metadata metadata{.shape = shape, .chunks = chunks};
  metadata.dtype = data_type(dtype::float64);
  static_cast<void>(zarr_array::create(store, "x", metadata));
  try {
    function(open<double, 2>(store, "x", spec{.allowed_memory = allowed}));
  } catch (const memory_error& failure) {
    return failure.what();
  }
  return "";
}

struct named_planner {
  const char* name;
  planner function;
};

/// Makes a plan of `function(x)`, or of its results.
template <class Function>
planner planned(Function function) {
  return [function](const array<double, 2>& x) { static_cast<void>(plan(function(x))); };
}
template <class Function>
planner planned_results(Function function) {
  return [function](const array<double, 2>& x) {
    std::apply([](const auto&... result) { static_cast<void>(plan(result...)); }, function(x));
  };
}

const std::vector<named_planner> functions{
    {"svdvals", planned([](const auto& x) { return svdvals(x); })},
    {"svd", planned_results([](const auto& x) { return svd(x); })},
    {"pinv", planned([](const auto& x) { return pinv(x); })},
    {"qr", planned_results([](const auto& x) { return qr(x); })},
    {"lu", planned_results([](const auto& x) { return lu(x); })},
    {"matmul", planned([](const auto& x) { return matmul(x, matrix_transpose(x)); })},
    {"sort 0", planned([](const auto& x) { return sort(x, axis<0>); })},
    {"sort 1", planned([](const auto& x) { return sort(x, axis<1>); })},
    {"argsort 0", planned([](const auto& x) { return argsort(x, axis<0>); })},
    {"median", planned([](const auto& x) { return median(x, axis<0>); })},
    {"quantile", planned([](const auto& x) { return quantile(x, 0.25, axis<1>); })},
    {"cumulative_sum 0", planned([](const auto& x) { return cumulative_sum(x, axis<0>); })},
    {"cumulative_sum 1", planned([](const auto& x) { return cumulative_sum(x, axis<1>); })},
    {"sum 0", planned([](const auto& x) { return sum(x, axis<0>); })},
    {"stddev", planned([](const auto& x) { return stddev(x); })},
};

/// Expects that a plan with the named amount succeeds, and none with four fifths of it if the
/// amount is close to the least.
void expect_plan_with_named_amount(const named_planner& function, const index_vector& shape,
                                   const index_vector& chunks, bytes allowed,
                                   bool is_close = false) {
  const std::string refusal = refusal_of(function.function, shape, chunks, allowed);
  if (refusal.empty()) return;
  const std::optional<bytes> amount = named_amount(refusal);
  ASSERT_TRUE(amount.has_value()) << function.name << ": " << refusal;
  EXPECT_EQ(refusal_of(function.function, shape, chunks, *amount), "")
      << function.name << " of " << format_shape(shape) << " in " << format_shape(chunks)
      << " with " << allowed << ": " << refusal;
  if (!is_close) return;
  const bytes less{amount->count() / 5 * 4};
  EXPECT_NE(refusal_of(function.function, shape, chunks, less), "")
      << function.name << " of " << format_shape(shape) << " in " << format_shape(chunks)
      << " with " << less << ": " << refusal;
}

const std::vector<std::pair<index_vector, index_vector>> arrays{{{300, 300}, {100, 100}},
                                                                {{3000, 40}, {500, 40}},
                                                                {{40, 3000}, {40, 500}},
                                                                {{2000, 300}, {7, 300}},
                                                                {{512, 512}, {512, 512}}};

TEST(LeastMemory, IsEnough) {
  for (const named_planner& function : functions) {
    for (const auto& [shape, chunks] : arrays) {
      for (const bytes allowed : {bytes{1}, bytes{400'000}}) {
        expect_plan_with_named_amount(function, shape, chunks, allowed);
      }
    }
  }
}

TEST(LeastMemory, IsEnoughForTransforms) {
  const std::vector<named_planner> transforms{
      {"rfft", planned([](const auto& x) { return rfft(x, axis<0>); })},
      {"fft of fft", planned([](const auto& x) { return fft(fft(x, axis<0>), axis<0>); })}};
  for (const named_planner& transform : transforms) {
    for (const auto& [shape, chunks] : arrays) {
      for (const bytes allowed : {bytes{1}, bytes{100'000}}) {
        expect_plan_with_named_amount(transform, shape, chunks, allowed);
      }
    }
  }
}

TEST(LeastMemory, OfMatricesAndTransformsIsNotFarAboveTheLeast) {
  const auto with_name = [](const char* name) {
    return *std::ranges::find_if(functions, [name](const named_planner& function) {
      return function.name == std::string_view(name);
    });
  };
  for (const char* const name : {"svdvals", "svd", "pinv", "qr"}) {
    expect_plan_with_named_amount(with_name(name), {3000, 40}, {500, 40}, bytes{400'000}, true);
    expect_plan_with_named_amount(with_name(name), {300, 300}, {100, 100}, bytes{400'000}, true);
  }
  const named_planner transform{"rfft", planned([](const auto& x) { return rfft(x, axis<0>); })};
  expect_plan_with_named_amount(transform, {4096, 64}, {64, 64}, bytes{100'000}, true);
  const named_planner twice{"fft of fft",
                            planned([](const auto& x) { return fft(fft(x, axis<0>), axis<0>); })};
  expect_plan_with_named_amount(twice, {150'000, 1}, {777, 1}, bytes{300'000}, true);
}

// Chunks of (2, 10000) elements are in the work directory, as two tasks of 1 MB leave no room for
// the array of 600 kB. A task of 15 x 2500 elements holds one of them, 80 kB, and memory of Blosc.
TEST(LeastMemory, IsOfLinesThatAreShortEnough) {
  const auto store = std::make_shared<memory_store>();
  zarr_metadata metadata{.shape = {150'000}, .chunks = {20'000}};
  metadata.dtype = data_type(dtype::int32);
  static_cast<void>(zarr_array::create(store, "x", metadata));
  const auto x = open<std::int32_t, 1>(store, "x", spec{.allowed_memory = bytes{1'000'000}});
  const auto columns = reshape(x, {15, -1});
  EXPECT_LE(plan(sort(columns, axis<0>)).projected_memory(), bytes{1'000'000});
  EXPECT_LE(plan(median(columns, axis<0>)).projected_memory(), bytes{1'000'000});
}

// As above, with less memory than a chunk of (2, 10000) and Blosc take together: the chunks between
// the two operations are smaller.
TEST(LeastMemory, IsOfChunksBetweenOperationsThatAreSmallEnough) {
  const spec limits{.allowed_memory = bytes{300'000}};
  const auto x = asarray(ndarray<std::int32_t, 1>({150'000}), {.chunks = {20'000}, .spec = limits});
  const auto columns = reshape(x, {15, -1});
  const auto expect_few_tasks = [](const auto& lines) {
    const plan planned(lines);
    EXPECT_LE(planned.projected_memory(), bytes{300'000});
    EXPECT_LE(planned.num_tasks(), 1000);
  };
  expect_few_tasks(sort(columns, axis<0>));
  expect_few_tasks(median(columns, axis<0>));
}

}  // namespace
}  // namespace tessera

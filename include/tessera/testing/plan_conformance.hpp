// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The results of plans on every executor: bit for bit those of the serial one.
/// `register_plan_conformance` makes the tests of one executor, as `register_executor_conformance`
/// does; the tests are GoogleTest's.

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/windows.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/testing/detail/continued_plans.hpp"
#include "tessera/testing/detail/plan_setting.hpp"
#include "tessera/testing/detail/register_case.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace tessera::testing {

/// A user's function whose value is not known in advance.
struct rounded_root {
  double operator()(double x) const { return std::sqrt(std::fabs(x)) + 0.1; }
};

inline array<double, 2> random_matrix(const plan_setting& in) {
  return random::normal<double>({300, 200}, {.chunks = {70, 60}, .spec = in.spec(), .seed = 11});
}

/// Elementwise operations around a rechunk, a product and means.
inline ndarray<double, 2> anomalies_of_a_product(const plan_setting& in) {
  const auto turned = rechunk(map(rounded_root{}, random_matrix(in)), {50, 200});
  const auto product = matmul(turned, matrix_transpose(turned));
  return (product - mean(product, axis<0>, keepdims)).compute(in.settings());
}

/// Two results of an operand in this process's memory.
inline ndarray<double, 1> sums_of_memory(const plan_setting& in) {
  std::vector<double> values(120'000);
  std::iota(values.begin(), values.end(), 0.25);
  const auto x =
      from_memory<double, 2>(values.data(), {300, 400}, {.chunks = {64, 100}, .spec = in.spec()});
  return (sum(x * 3.0, axis<1>) + max(x, axis<1>)).compute(in.settings());
}

/// An array that was stored and is read again.
inline ndarray<double, 2> stored_and_opened(const plan_setting& in) {
  const std::string path = in.directory("result");
  store(random_matrix(in) * 2.0 + 1.0, path, in.settings());
  return open<double, 2>(path, in.spec()).compute(in.settings());
}

/// An array that was stored and is read by references to its files: each worker opens the store by
/// its URL.
inline ndarray<double, 2> opened_by_references(const plan_setting& in) {
  const std::string path = in.directory("referred");
  store(random_matrix(in) * 2.0 + 1.0, path, in.settings());
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string document = "{";
  for (const std::string& key : open_store(path)->list("")) {
    document += document.size() > 1 ? ", \"" : "\"";
    document.append(key).append("\": [\"").append(name).append("/").append(key).append("\"]");
  }
  document += "}";
  // Of processes that compute together, the first one writes the document, and all read it.
  (void)open_store(path.substr(0, path.rfind('/')))
      ->write_if(name + ".json", std::as_bytes(std::span(document)), {});
  return open<double, 2>("reference://" + path + ".json", in.spec()).compute(in.settings());
}

/// Means of 2 x 2 elements of an array that is stored beside them.
inline ndarray<double, 2> levels_of_stored_array(const plan_setting& in) {
  const array<double, 2> scaled = random_matrix(in) * 2.0;
  const auto means = [](const array<double, 2>& x) -> array<double, 2> {
    return coarsen(op::mean{}, x, {2, 2});
  };
  const std::string path = in.directory("means");
  const plan levels(stored(scaled, in.directory("all")), stored(means(scaled), path),
                    in.settings());
  EXPECT_EQ(levels.num_operations(), 1U);
  levels.execute();
  return open<double, 2>(path, in.spec()).compute(in.settings());
}

/// Expects the shape of an array without elements, and adds the elements of `actual` to `elements`.
template <element T, std::size_t N>
void take_apart(const ndarray<T, N>& actual, const std::array<index_t, N>& shape,
                std::vector<T>& elements) {
  EXPECT_EQ(actual.shape(), shape);
  elements.insert(elements.end(), actual.data(), actual.data() + actual.size());
}

/// Arrays without elements beside arrays with some, in each family of functions.
inline ndarray<double, 1> arrays_without_elements(const plan_setting& in) {
  const creation_options options{.spec = in.spec()};
  const auto nothing = zeros<double>({0, 3}, options) + 1;
  const auto something = ones<double>({2, 3}, options) + 1;
  store(nothing, in.directory("nothing"), in.settings());
  const auto opened = open<double, 2>(in.directory("nothing"), in.spec()) * 2.0;
  const auto rechunked = rechunk(opened, {2, 1}) + 1;
  const auto [mapped, sliced, read, joined, stacked, product, total, none] =
      compute(nothing, something(slice(1, 1), whole) * 2.0, rechunked,
              concat(nothing, opened, something, axis<0>), stack(nothing, opened, axis<0>),
              matmul(matrix_transpose(nothing), nothing) + 1, sum(nothing, axis<0>) + 3,
              max(nothing, axis<1>), in.settings());
  std::vector<double> elements;
  take_apart(mapped, {0, 3}, elements);
  take_apart(sliced, {0, 3}, elements);
  take_apart(read, {0, 3}, elements);
  take_apart(stacked, {2, 0, 3}, elements);
  take_apart(none, {0}, elements);
  EXPECT_TRUE(elements.empty());
  take_apart(joined, {2, 3}, elements);
  take_apart(product, {3, 3}, elements);
  take_apart(total, {3}, elements);
  std::vector<double> known(6, 2.0);
  known.insert(known.end(), 9, 1.0);
  known.insert(known.end(), 3, 3.0);
  EXPECT_EQ(elements, known);
  return {std::array{static_cast<index_t>(elements.size())}, std::span<const double>(elements)};
}

/// Elements of a type that is not C++'s own.
inline ndarray<float16, 1> float16_arrays(const plan_setting& in) {
  const auto x = ones<float16>({100}, {.chunks = {30}, .spec = in.spec()});
  return (astype<float16>(arange<float>(0, 100, 1, {.chunks = {30}, .spec = in.spec()})) / 3 + x)
      .compute(in.settings());
}

/// Expects that `program` returns the same bytes in `setting` and on the serial executor.
template <class Program>
void expect_as_on_serial(Program program, const plan_setting& setting) {
  const plan_setting serial(executors::serial());
  const auto expected = program(serial);
  const auto actual = program(setting);
  ASSERT_EQ(actual.shape(), expected.shape());
  EXPECT_EQ(std::memcmp(actual.data(), expected.data(),
                        static_cast<std::size_t>(expected.size()) * sizeof(*expected.data())),
            0);
}

/// Registers tests of the results of plans on an executor as `Plan/<name>.<Test>`.
///
/// Returns true, so that a registration can initialise a constant.
inline bool register_plan_conformance(const std::string& name,
                                      const std::function<std::shared_ptr<executor>()>& make) {
  const auto add = [&](const char* test, auto program) {
    register_case("Plan/" + name, test,
                  [make, program] { expect_as_on_serial(program, plan_setting(make())); });
  };
  add("ComputesAsSerialDoes", anomalies_of_a_product);
  add("ReadsMemoryAsSerialDoes", sums_of_memory);
  add("StoresAsSerialDoes", stored_and_opened);
  add("OpensReferencesAsSerialDoes", opened_by_references);
  add("MakesLevelsAsSerialDoes", levels_of_stored_array);
  add("ComputesArraysWithoutElements", arrays_without_elements);
  add("ComputesFloat16AsSerialDoes", float16_arrays);
  register_case("Plan/" + name, "GoesOnWithWhatThreadsBegan", [make] {
    const plan_setting in(make());
    begin_roots(in);
    expect_to_go_on(in, written_roots(in));
  });
  register_case("Plan/" + name, "GoesOnWithMakersAndReadersThatWereInterrupted",
                [make] { go_on_with_an_interrupted_pipeline(plan_setting(make())); });
  return true;
}

}  // namespace tessera::testing

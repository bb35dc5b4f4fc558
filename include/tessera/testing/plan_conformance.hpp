// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What plans compute on every executor: bit for bit what they compute on the serial one.
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
#include "tessera/core/error.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/testing/detail/register_case.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tessera::testing {

/// An executor, and a spec with a work directory of its own, which is removed with what is in it.
class plan_setting {
 public:
  explicit plan_setting(std::shared_ptr<executor> engine)
      : plan_setting(std::move(engine), new_directory()) {}
  /// Processes that compute together need the same directory.
  plan_setting(std::shared_ptr<executor> engine, std::string work_dir) {
    spec_.work_dir = std::move(work_dir);
    spec_.allowed_memory = bytes{4'000'000};
    how_.executor = std::move(engine);
  }
  plan_setting(const plan_setting&) = delete;
  plan_setting& operator=(const plan_setting&) = delete;
  ~plan_setting() {
    std::error_code ignored;
    std::filesystem::remove_all(spec_.work_dir, ignored);
  }

  [[nodiscard]] const tessera::spec& spec() const { return spec_; }
  [[nodiscard]] const run_with& how() const { return how_; }
  [[nodiscard]] std::string directory(const std::string& name) const {
    return spec_.work_dir + "/" + name;
  }

 private:
  static std::string new_directory() {
    static std::atomic<unsigned> num_made{0};
    const std::string name = "tessera-conformance-" + std::to_string(std::random_device{}()) + "-" +
                             std::to_string(num_made++);
    return (std::filesystem::temp_directory_path() / name).string();
  }

  tessera::spec spec_;
  run_with how_;
};

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
  return (product - mean(product, axis<0>, keepdims)).compute(in.how());
}

/// Two results of what lies in this process's memory.
inline ndarray<double, 1> sums_of_memory(const plan_setting& in) {
  std::vector<double> values(120'000);
  std::iota(values.begin(), values.end(), 0.25);
  const auto x =
      from_memory<double, 2>(values.data(), {300, 400}, {.chunks = {64, 100}, .spec = in.spec()});
  return (sum(x * 3.0, axis<1>) + max(x, axis<1>)).compute(in.how());
}

/// What was stored and is read again.
inline ndarray<double, 2> stored_and_opened(const plan_setting& in) {
  const std::string path = in.directory("result");
  store(random_matrix(in) * 2.0 + 1.0, path, in.how());
  return open<double, 2>(path, in.spec()).compute(in.how());
}

/// Means of 2 x 2 elements of what is stored beside them.
inline ndarray<double, 2> levels_of_what_is_stored(const plan_setting& in) {
  const array<double, 2> all = random_matrix(in) * 2.0;
  const auto means = [](const array<double, 2>& x) -> array<double, 2> {
    return coarsen(op::mean{}, x, {2, 2});
  };
  const std::string path = in.directory("means");
  const plan both(stored(all, in.directory("all")), stored(means(all), path), in.how());
  EXPECT_EQ(both.num_operations(), 1U);
  both.execute();
  return open<double, 2>(path, in.spec()).compute(in.how());
}

/// Expects what is known of an array without elements, and adds the elements of others to `all`.
template <element T, std::size_t N>
void take_apart(const ndarray<T, N>& found, const std::array<index_t, N>& shape,
                std::vector<T>& all) {
  EXPECT_EQ(found.shape(), shape);
  all.insert(all.end(), found.data(), found.data() + found.size());
}

/// Arrays without elements beside others, in each family of functions.
inline ndarray<double, 1> arrays_without_elements(const plan_setting& in) {
  const creation_options options{.spec = in.spec()};
  const auto nothing = zeros<double>({0, 3}, options) + 1;
  const auto something = ones<double>({2, 3}, options) + 1;
  store(nothing, in.directory("nothing"), in.how());
  const auto opened = open<double, 2>(in.directory("nothing"), in.spec()) * 2.0;
  const auto rechunked = rechunk(opened, {2, 1}) + 1;
  const auto [mapped, sliced, read, joined, stacked, product, total, none] =
      compute(nothing, something(slice(1, 1), whole) * 2.0, rechunked,
              concat(nothing, opened, something, axis<0>), stack(nothing, opened, axis<0>),
              matmul(matrix_transpose(nothing), nothing) + 1, sum(nothing, axis<0>) + 3,
              max(nothing, axis<1>), in.how());
  std::vector<double> all;
  take_apart(mapped, {0, 3}, all);
  take_apart(sliced, {0, 3}, all);
  take_apart(read, {0, 3}, all);
  take_apart(stacked, {2, 0, 3}, all);
  take_apart(none, {0}, all);
  EXPECT_TRUE(all.empty());
  take_apart(joined, {2, 3}, all);
  take_apart(product, {3, 3}, all);
  take_apart(total, {3}, all);
  std::vector<double> known(6, 2.0);
  known.insert(known.end(), 9, 1.0);
  known.insert(known.end(), 3, 3.0);
  EXPECT_EQ(all, known);
  return {std::array{static_cast<index_t>(all.size())}, std::span<const double>(all)};
}

/// Elements of a type that is not C++'s own.
inline ndarray<float16, 1> float16_arrays(const plan_setting& in) {
  const auto x = ones<float16>({100}, {.chunks = {30}, .spec = in.spec()});
  return (astype<float16>(arange<float>(0, 100, 1, {.chunks = {30}, .spec = in.spec()})) / 3 + x)
      .compute(in.how());
}

/// A user's function that fails where this process, and no other, has been told to.
struct stopping_root {
  static inline std::atomic<bool> fails{false};
  double operator()(double x) const {
    if (fails && x >= 600) throw store_error("the disk is full");
    return std::sqrt(x);
  }
};

/// When the chunks of a stored array were written that are there.
using chunk_times = std::map<std::string, std::filesystem::file_time_type>;

/// Stores the roots of 0, 1, ..., 999 and their mean in 20 chunks as `how` says. What the mean is
/// kept in between is a matter of the engine.
inline void store_roots(const plan_setting& in, const run_with& how) {
  const auto x = arange<double>(1000.0, {.chunks = {50}, .spec = in.spec()});
  store(map(stopping_root{}, x) + mean(x), in.directory("roots"), how);
}

/// Begins that on three threads of this process, where it fails.
inline void begin_roots(const plan_setting& in) {
  stopping_root::fails = true;
  EXPECT_THROW(store_roots(in, {.executor = executors::threads(3)}), task_error);
  stopping_root::fails = false;
}

/// Returns what is there.
inline chunk_times written_roots(const plan_setting& in) {
  chunk_times there;
  for (int k = 0; k < 20; ++k) {
    const std::string file = in.directory("roots/" + std::to_string(k));
    if (std::filesystem::exists(file)) there[file] = std::filesystem::last_write_time(file);
  }
  return there;
}

/// Expects that the run goes on where it is, and that chunks which were there are left alone.
inline void expect_to_go_on(const plan_setting& in, const chunk_times& before) {
  ASSERT_FALSE(before.empty());
  ASSERT_LT(before.size(), 20U);
  run_with how = in.how();
  how.resume = resume_mode::require;
  store_roots(in, how);
  for (const auto& [file, time] : before) {
    EXPECT_EQ(std::filesystem::last_write_time(file), time) << file;
  }
  const auto roots = open<double, 1>(in.directory("roots"), in.spec()).compute(in.how());
  for (index_t i = 0; i < 1000; ++i) ASSERT_EQ(roots(i), std::sqrt(static_cast<double>(i)) + 499.5);
}

/// Expects that `program` returns the same bytes in `other` and on the serial executor.
template <class Program>
void expect_as_on_serial(Program program, const plan_setting& other) {
  const plan_setting serial(executors::serial());
  const auto expected = program(serial);
  const auto found = program(other);
  ASSERT_EQ(found.shape(), expected.shape());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(),
                        static_cast<std::size_t>(expected.size()) * sizeof(*expected.data())),
            0);
}

/// Registers tests of what plans compute on an executor as `Plan/<name>.<Test>`.
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
  add("MakesLevelsAsSerialDoes", levels_of_what_is_stored);
  add("ComputesArraysWithoutElements", arrays_without_elements);
  add("ComputesFloat16AsSerialDoes", float16_arrays);
  register_case("Plan/" + name, "GoesOnWithWhatThreadsBegan", [make] {
    const plan_setting in(make());
    begin_roots(in);
    expect_to_go_on(in, written_roots(in));
  });
  return true;
}

}  // namespace tessera::testing

// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs of up to twelve functions of every family, planned as a whole, against the same
/// programs with each intermediate array stored and read back: the bits are equal, and tasks keep
/// to the memory.

#include "property/random_steps.hpp"
#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace samples;
using random_steps::matrix;
using random_steps::step;

constexpr index_t most_elements = 4000;

/// A random program in both forms.
class program {
 public:
  /// Draws a program under `limits`. Functions of libraries need several MB.
  program(ts::spec limits, bool has_libraries) : limits_(std::move(limits)) {
    num_sources_ = static_cast<std::size_t>(pick(1, 2));
    for (std::size_t i = 0; i < num_sources_; ++i) add_source();
    const index_t num_steps = pick(1, 12);
    for (index_t i = 0; i < num_steps; ++i) try_step(has_libraries);
  }

  /// The arrays as functions of the sources, and the same arrays, each read from a store.
  [[nodiscard]] const std::vector<matrix>& whole() const { return whole_; }
  [[nodiscard]] const std::vector<matrix>& stored() const { return stored_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The number of drawn steps, and of the steps that could not run alone.
  [[nodiscard]] std::size_t num_drawn() const { return num_drawn_; }
  [[nodiscard]] std::size_t num_left_out() const {
    return num_drawn_ - (whole_.size() - num_sources_);
  }

 private:
  void add_source() {
    const std::array<index_t, 2> chunks = pick_extents<2>(1, rows_);
    const dense values = pick_values({rows_, columns_});
    const auto scaled = ts::asarray(ts::ndarray<double, 2>({rows_, columns_}, values.values)) / 7.0;
    add_stored(scaled, {chunks.begin(), chunks.end()});
    whole_.push_back(stored_.back());
    text_ += fmt::format("a{} = stored {} x {} in {} x {}\n", whole_.size() - 1, rows_, columns_,
                         chunks[0], chunks[1]);
  }

  void add_stored(const matrix& x, const ts::index_vector& chunks) {
    const auto store = std::make_shared<ts::memory_store>();
    // A codec alone may exceed tight limits.
    const ts::store_options options{.chunks = std::vector{chunks[0], chunks[1]},
                                    .compressor = ts::codec::none{}};
    (void)ts::plan(ts::stored(x, store, "a", options)).compute();
    stored_.push_back(ts::open<double, 2>(store, "a", limits_));
  }

  /// Adds a step, unless it cannot run alone.
  void try_step(bool has_libraries) {
    ++num_drawn_;
    try {
      add_step(has_libraries);
    } catch (const ts::memory_error&) {
      // The function exceeds the limits.
    } catch (const ts::task_error&) {
      // A matrix has no factors.
    }
  }

  void add_step(bool has_libraries) {
    const std::size_t x = recent();
    const std::size_t y = of_shape(x);
    const auto [rows, columns] = whole_[x].shape();
    const step drawn = draw_step({rows, columns}, has_libraries);
    const matrix lazy = bounded(drawn.apply(whole_[x], whole_[y]));
    const auto& chunks = lazy.layout().chunks;
    add_stored(bounded(drawn.apply(stored_[x], stored_[y])), {chunks.begin(), chunks.end()});
    text_ += fmt::format("a{} = {} of a{}, a{}: {} x {} in {} x {}\n", whole_.size(), drawn.text, x,
                         y, lazy.shape()[0], lazy.shape()[1], chunks[0], chunks[1]);
    whole_.push_back(lazy);
  }

  static step draw_step(random_steps::extents of, bool has_libraries) {
    switch (pick(0, 3)) {
      case 0:
        return random_steps::draw_map(pick, of);
      case 1:
        return random_steps::draw_fold(pick, of);
      case 2:
        return random_steps::draw_line(pick, has_libraries);
      default:
        return random_steps::draw_block(pick, of, has_libraries);
    }
  }

  /// Returns the first rows and columns of a large array.
  static matrix bounded(const matrix& x) {
    if (x.shape()[0] * x.shape()[1] <= most_elements) return x;
    return x(ts::slice(0, std::min<index_t>(x.shape()[0], 50)),
             ts::slice(0, std::min<index_t>(x.shape()[1], 50)));
  }

  /// The last ones are taken more often, so that programs get deep.
  [[nodiscard]] std::size_t recent() const {
    const auto count = static_cast<index_t>(whole_.size());
    return static_cast<std::size_t>(std::max(pick(0, count - 1), pick(0, count - 1)));
  }

  /// Returns an array of the shape of array `x`, maybe `x`.
  [[nodiscard]] std::size_t of_shape(std::size_t x) const {
    std::vector<std::size_t> alike;
    for (std::size_t i = 0; i < whole_.size(); ++i) {
      if (whole_[i].shape() == whole_[x].shape()) alike.push_back(i);
    }
    return alike[static_cast<std::size_t>(pick(0, static_cast<index_t>(alike.size()) - 1))];
  }

  index_t rows_ = pick(1, 24);
  index_t columns_ = pick(1, 24);
  ts::spec limits_;
  std::size_t num_sources_ = 0;
  std::size_t num_drawn_ = 0;
  std::vector<matrix> whole_;
  std::vector<matrix> stored_;
  std::string text_;
};

/// Returns limits of memory that are ample, or tight for programs without libraries.
ts::spec pick_limits(bool is_ample) {
  ts::spec limits = pick_spec();
  limits.reserved_memory = ts::bytes{0};
  if (!is_ample) limits.intermediate_compressor = "none";
  const index_t tight = pick(20'000, 200'000);
  limits.allowed_memory = ts::bytes{static_cast<std::uint64_t>(is_ample ? 300'000'000 : tight)};
  limits.costs.read_bandwidth = limits.costs.write_bandwidth =
      ts::bytes{static_cast<std::uint64_t>(*rc::gen::element(100'000, 1'000'000, 100'000'000))};
  limits.costs.workers = static_cast<std::size_t>(pick(1, 8));
  return limits;
}

/// Tells whether two arrays have the same bits, or missing values at the same places.
bool are_equal(const ts::ndarray<double, 2>& a, const ts::ndarray<double, 2>& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.span(), b.span(), [](double x, double y) {
           return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
         });
}

/// Checks the last array and another one, computed by one plan.
void check(const program& random, const ts::spec& limits) {
  const std::size_t last = random.whole().size() - 1;
  const auto second = static_cast<std::size_t>(pick(0, static_cast<index_t>(last)));
  const ts::plan plan(pick_passes(), pick_run(), random.whole()[last], random.whole()[second]);
  RC_ASSERT(plan.projected_memory() <= limits.allowed_memory);
  const auto [values, seconds] = plan.compute();
  RC_ASSERT(are_equal(values, random.stored()[last].compute()));
  RC_ASSERT(are_equal(seconds, random.stored()[second].compute()));
}

TEST(StoredSteps, HaveTheBitsOfTheWholeProgram) {
  std::size_t num_drawn = 0;
  std::size_t num_left_out = 0;
  EXPECT_TRUE(rc::check([&] {
    const bool is_ample = *rc::gen::arbitrary<bool>();
    const ts::spec limits = pick_limits(is_ample);
    const program random(limits, is_ample);
    num_drawn += random.num_drawn();
    num_left_out += random.num_left_out();
    RC_LOG() << random.text();
    check(random, limits);
  }));
  RecordProperty("drawn steps", fmt::format("{}", num_drawn));
  RecordProperty("steps left out", fmt::format("{}", num_left_out));
  EXPECT_LE(20 * num_left_out, num_drawn);
}

}  // namespace

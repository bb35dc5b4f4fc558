// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Golden programs: small programs whose plans read, write or hold too much today, with ceilings.
///
/// Each program has a full size, at which it is planned, and a reduced size, at which it is run.
/// The reduced size divides data, allowed memory and bandwidths by `scale`, and multiplies the cost
/// of an element by it: all ratios stay.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/tessera.hpp"

#include "unit/plan/corpus/corpus.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

/// Shape and chunks of a stored array.
struct golden_extents {
  index_vector shape;
  index_vector chunks;
  /// Whether chunks are encoded, so that they are read whole.
  bool are_encoded = false;
};

/// The stored arrays of a program, at full size or reduced.
class golden_arrays {
 public:
  enum class extent { full, reduced };

  golden_arrays(extent size, spec limits, std::shared_ptr<key_value_store> store)
      : size_(size), limits_(std::move(limits)), store_(std::move(store)) {}

  [[nodiscard]] bool is_full() const { return size_ == extent::full; }
  [[nodiscard]] index_t pick(index_t full, index_t reduced) const {
    return is_full() ? full : reduced;
  }
  [[nodiscard]] const spec& limits() const { return limits_; }

  /// Returns the array `path`: uniform numbers at the reduced size, metadata alone at full size.
  template <element T, std::size_t N>
  [[nodiscard]] array<T, N> open(std::string_view path, const golden_extents& full,
                                 const golden_extents& reduced) const;

  /// Returns `x`; if parts are computed apart, `x` is stored by a run of its own, and opened.
  template <array_expression X>
  [[nodiscard]] array<typename X::value_type, X::rank> part(const X& x) const;

  /// Returns the request to store `x` without a codec.
  template <class X>
  [[nodiscard]] auto to_store(const X& x, std::string_view path) const {
    return stored(x, store_, folder() + std::string(path), {.compressor = codec::none{}});
  }

  /// Returns these arrays under other limits, with parts that are computed apart.
  [[nodiscard]] golden_arrays apart(spec limits) const;
  /// Returns the folder of the stored results.
  [[nodiscard]] std::string folder() const { return are_apart_ ? "apart/" : "whole/"; }

 private:
  extent size_;
  spec limits_;
  std::shared_ptr<key_value_store> store_;
  bool are_apart_ = false;
  std::shared_ptr<int> num_parts_ = std::make_shared<int>(0);
};

/// The figures of a plan that a golden program limits.
struct golden_figures {
  /// In megabytes, decoded.
  double read = 0;
  double written = 0;
  index_t tasks = 0;
  /// The memory of a task in megabytes.
  double task = 0;
};

/// A golden program.
struct golden {
  std::string_view name;
  std::function<corpus_outputs(const golden_arrays&)> outputs;
  /// In megabytes, at full size.
  double allowed = 100;
  std::size_t workers = 2;
  double scale = 1;
  /// Ceilings: today's figures at full size, and of a run at the reduced size.
  golden_figures full = {};
  golden_figures reduced = {};
  /// The figures at full size that the planner shall reach: "128 + 0 MB, 21 tasks, 68 MB a task".
  std::string_view goal = {};
  /// Whether `tasks` is the least number: too few tasks use too few workers.
  bool has_few_tasks = false;
};

void PrintTo(const golden& row, std::ostream* out);

/// The golden programs, with ceilings at today's figures.
[[nodiscard]] std::vector<golden> golden_rows();

/// Programs by the number of their row in the table.
[[nodiscard]] corpus_outputs nearest_distance(const golden_arrays& in);
[[nodiscard]] corpus_outputs nearest_neighbours(const golden_arrays& in);
[[nodiscard]] corpus_outputs bootstrap(const golden_arrays& in);
[[nodiscard]] corpus_outputs welch(const golden_arrays& in);
[[nodiscard]] corpus_outputs running_correlation(const golden_arrays& in);
[[nodiscard]] corpus_outputs rolling_square(const golden_arrays& in);
[[nodiscard]] corpus_outputs phase_correlation(const golden_arrays& in);
[[nodiscard]] corpus_outputs sparse_regrid(const golden_arrays& in);
[[nodiscard]] corpus_outputs heat_step(const golden_arrays& in);
[[nodiscard]] corpus_outputs two_heat_steps(const golden_arrays& in);
[[nodiscard]] corpus_outputs ten_heat_steps(const golden_arrays& in);
[[nodiscard]] corpus_outputs deviation_and_series(const golden_arrays& in);
[[nodiscard]] corpus_outputs deviation_series_and_mean(const golden_arrays& in);
[[nodiscard]] corpus_outputs even_and_odd(const golden_arrays& in);
[[nodiscard]] corpus_outputs exceedance(const golden_arrays& in);
[[nodiscard]] corpus_outputs image_pyramid(const golden_arrays& in);
[[nodiscard]] corpus_outputs weighted_histogram(const golden_arrays& in);
[[nodiscard]] corpus_outputs quadratic_means(const golden_arrays& in);
[[nodiscard]] corpus_outputs principal_components(const golden_arrays& in);
[[nodiscard]] corpus_outputs singular_values(const golden_arrays& in);

template <element T>
[[nodiscard]] constexpr std::string_view zarr_name() {
  if constexpr (std::same_as<T, std::uint16_t>) return "<u2";
  return sizeof(T) == 4 ? "<f4" : "<f8";
}

template <element T, std::size_t N>
array<T, N> golden_arrays::open(std::string_view path, const golden_extents& full,
                                const golden_extents& reduced) const {
  const bool is_new = !store_->exists(std::string(path) + "/.zarray");
  if (is_new && is_full())
    describe_array(*store_, path, full.shape, full.chunks, zarr_name<T>(), full.are_encoded);
  if (is_new && !is_full()) {
    std::array<index_t, N> shape{};
    std::copy(reduced.shape.begin(), reduced.shape.end(), shape.begin());
    const auto seed = static_cast<std::uint64_t>(path.front());
    const std::vector<index_t> chunks(reduced.chunks.begin(), reduced.chunks.end());
    store_options options{.chunks = chunks};
    if (!reduced.are_encoded) options.compressor = codec::none{};
    if constexpr (std::floating_point<T>) {
      store(random::uniform<T>(shape, {.seed = seed}), store_, path, options);
    } else {
      store(random::integers<T>(0, 4096, shape, {.seed = seed}), store_, path, options);
    }
  }
  return tessera::open<T, N>(store_, path, limits_);
}

template <array_expression X>
array<typename X::value_type, X::rank> golden_arrays::part(const X& x) const {
  if (!are_apart_) return x;
  const std::string path = "part/" + std::to_string((*num_parts_)++) + "/x";
  store(x, store_, path, {.compressor = codec::none{}});
  return tessera::open<typename X::value_type, X::rank>(store_, path, limits_);
}

}  // namespace tessera::test

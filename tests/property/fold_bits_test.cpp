// SPDX-License-Identifier: Apache-2.0

/// \file
/// The bits of folds: the same whoever runs them, in whatever memory, cut into whatever parts.

#include "tessera/tessera.hpp"

#include "property/folds_of_pieces.hpp"
#include "property/result_bits.hpp"
#include "property/samples.hpp"
#include "unit/store/temporary_directory.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace samples;
using result_bits::bits;
using result_bits::bits_of_all;
using result_bits::circumstances;
using result_bits::rounded_norm;
using result_bits::unlike;
using namespace tessera::literals;
using tessera::testing::temporary_directory;

const std::vector<std::size_t> none;

/// Processes are started once for all runs.
ts::run_with pick_any_run() {
  static const auto processes = ts::executors::processes(3);
  if (*rc::gen::inRange(0, 4) == 0) return {.executor = processes};
  return pick_run();
}

circumstances pick_circumstances() {
  circumstances picked{pick_spec(), {}, pick_any_run()};
  // Results of another program in the same directory may have other bits.
  picked.settings.resume = ts::resume_mode::never;
  picked.passes.keep = *rc::gen::arbitrary<bool>();
  picked.passes.split_folds = *rc::gen::arbitrary<bool>();
  picked.passes.memory_tier = *rc::gen::arbitrary<bool>();
  picked.limits.costs = *rc::gen::arbitrary<bool>() ? ts::costs::object_store() : ts::costs{};
  picked.limits.costs.workers = *rc::gen::element<std::size_t>(1, 7, 64, 10'000);
  picked.limits.allowed_memory = *rc::gen::element(12_MB, 50_MB, 2_GB);
  picked.is_alone = *rc::gen::arbitrary<bool>();
  return picked;
}

circumstances pick_circumstances_and_passes() {
  circumstances picked = pick_circumstances();
  picked.passes = pick_passes();
  return picked;
}

/// Arrays of which leaves take two chunks and more.
class program {
 public:
  using index_3d = std::array<index_t, 3>;

  program(const index_3d& shape, const index_3d& chunks) : shape_(shape), chunks_(chunks) {
    const auto values = ts::random::normal<double>(shape_, {.chunks = chunks_, .seed = 7});
    values_ = values.compute();
    ts::store(ts::asarray(values_, {.chunks = chunks_}), directory_ / "x");
    for (index_t i = 0; i < shape_[0]; ++i) labels_(i) = static_cast<std::int32_t>(i * i % 5 - 1);
  }

  [[nodiscard]] std::vector<bits> run(const circumstances& in, bool is_stored) const {
    const ts::array<double, 3> x =
        is_stored
            ? ts::open<double, 3>(directory_ / "x", in.limits)
            : ts::array<double, 3>(ts::asarray(values_, {.chunks = chunks_, .spec = in.limits}));
    const auto labels = ts::asarray(labels_, {.chunks = {chunks_[0]}, .spec = in.limits});
    return bits_of_all(in, ts::sum(x), ts::var(x), ts::mean(x * x, ts::axis<0>),
                       ts::argmax(x, ts::axis<0>), ts::sum(x, ts::axis<0, 1>, ts::where(x > 0.0)),
                       ts::min(x, ts::axis<0, 2>), ts::sum(x, ts::axis<1, 2>),
                       ts::reduction(rounded_norm{}, x, ts::axis<0>),
                       ts::groupby_reduce(x, labels, ts::op::mean{}, 4, ts::axis<0>));
  }

 private:
  index_3d shape_;
  index_3d chunks_;
  ts::ndarray<double, 3> values_{shape_};
  ts::ndarray<std::int32_t, 1> labels_{{shape_[0]}};
  temporary_directory directory_;
};

RC_GTEST_PROP(FoldBits, DependOnNeitherWorkersNorMemoryNorParts, (bool is_stored)) {
  static const program folds({700, 30, 40}, {50, 30, 40});
  static const std::vector<bits> expected = folds.run({}, true);
  RC_ASSERT(unlike(folds.run(pick_circumstances(), is_stored), expected) == none);
}

// Small chunks, of which a step takes several.
RC_GTEST_PROP(FoldBits, DependOnNeitherInStepsOfManyChunks, (bool is_stored)) {
  static const program folds({300, 16, 32}, {1, 16, 32});
  static const std::vector<bits> expected = folds.run({}, true);
  RC_ASSERT(unlike(folds.run(pick_circumstances(), is_stored), expected) == none);
}

/// Folds of a scan, which lies in memory or in storage as the plan chooses: of short rows, of
/// blocks at the array's end, and along axes that are not neighbours.
class folds_of_computed {
 public:
  folds_of_computed() {
    const auto values = ts::random::normal<double>(shape_, {.chunks = chunks_, .seed = 5});
    ts::store(values, directory_ / "x");
  }

  [[nodiscard]] std::vector<bits> run(const circumstances& in) const {
    const auto x = ts::open<double, 3>(directory_ / "x", in.limits);
    const auto scanned = ts::cumulative_sum(x, ts::axis<0>);
    const auto labels = ts::asarray(labels_, {.chunks = {chunks_[0]}, .spec = in.limits});
    return bits_of_all(in, ts::sum(scanned), ts::var(scanned), ts::mean(scanned, ts::axis<1, 2>),
                       ts::sum(scanned, ts::axis<0, 2>), ts::var(scanned, ts::axis<0, 1>),
                       ts::sum(scanned, ts::axis<2>), ts::mean(scanned, ts::axis<0>),
                       ts::reduction(rounded_norm{}, scanned, ts::axis<1, 2>),
                       ts::groupby_reduce(scanned, labels, ts::op::mean{}, 4, ts::axis<0>));
  }

 private:
  static constexpr std::array<index_t, 3> shape_{130, 70, 90};
  static constexpr std::array<index_t, 3> chunks_{50, 30, 40};
  ts::ndarray<std::int32_t, 1> labels_ = [] {
    ts::ndarray<std::int32_t, 1> labels({shape_[0]});
    for (index_t i = 0; i < shape_[0]; ++i) labels(i) = static_cast<std::int32_t>(i * i % 5 - 1);
    return labels;
  }();
  temporary_directory directory_;
};

RC_GTEST_PROP(FoldBits, AreThoseOfWhatLiesInStorageWhereItLiesInMemory, ()) {
  static const folds_of_computed folds;
  static const std::vector<bits> expected = [] {
    circumstances stored;
    stored.passes.memory_tier = false;
    return folds.run(stored);
  }();
  RC_ASSERT(unlike(folds.run(pick_circumstances()), expected) == none);
}

/// An array of which leaves of unlike folds are cut along all axes.
class unlike_folds {
 public:
  unlike_folds() {
    const auto values = ts::random::normal<double>({200, 60, 256}, {.chunks = chunks_, .seed = 3});
    ts::store(values, directory_ / "x");
  }

  [[nodiscard]] std::vector<bits> run(const circumstances& in) const {
    const auto x = ts::open<double, 3>(directory_ / "x", in.limits);
    return bits_of_all(in, ts::sum(x, ts::axis<0>), ts::var(x), ts::mean(x * x, ts::axis<1>),
                       ts::sum(ts::sqrt(ts::abs(x)), ts::axis<1, 2>), ts::sum(x, ts::axis<2>),
                       ts::reduction(rounded_norm{}, x, ts::axis<2>));
  }

 private:
  static constexpr std::array<index_t, 3> chunks_{60, 16, 128};
  temporary_directory directory_;
};

RC_GTEST_PROP(FoldBits, AreThoseOfFoldsAloneWhereUnlikeOnesShareAWalk, ()) {
  static const unlike_folds folds;
  static const std::vector<bits> expected = [] {
    circumstances alone;
    alone.is_alone = true;
    return folds.run(alone);
  }();
  RC_ASSERT(unlike(folds.run(pick_circumstances()), expected) == none);
}

/// Folds that are stored in coarser chunks than they are computed in. Blocks of 40 and of 20 kept
/// elements are short for strips, the blocks of their stores are not. Blocks of 70 are long, and
/// chunks of 100 cut short ones.
class folds_in_coarser_chunks {
 public:
  folds_in_coarser_chunks() {
    ts::store(ts::random::normal<double>({1000, 180}, {.chunks = {1000, 40}, .seed = 11}),
              directory_ / "x");
    ts::store(ts::random::normal<double>({1000, 210}, {.chunks = {1000, 70}, .seed = 12}),
              directory_ / "y");
  }

  /// Returns the bits of the results in memory.
  [[nodiscard]] std::vector<bits> computed() const {
    const auto compute_bits = [](const auto&... folds) {
      return std::vector<bits>{result_bits::bits_of(ts::compute(folds))...};
    };
    return std::apply(compute_bits, folds_in({}));
  }

  [[nodiscard]] std::vector<bits> stored(const circumstances& in) const {
    const temporary_directory to;
    const auto [sums, deviations, means, further, others] = folds_in(in.limits);
    ts::plan(in.passes, in.settings, ts::stored(sums, to / "0", {.chunks = {80}}),
             ts::stored(deviations, to / "1", {.chunks = {160}}),
             ts::stored(means, to / "2", {.chunks = {500, 80}}),
             ts::stored(further, to / "3", {.chunks = {80}}),
             ts::stored(others, to / "4", {.chunks = {100}}))
        .execute();
    return {result_bits::bits_of(ts::open<double, 1>(to / "0").compute()),
            result_bits::bits_of(ts::open<double, 1>(to / "1").compute()),
            result_bits::bits_of(ts::open<double, 2>(to / "2").compute()),
            result_bits::bits_of(ts::open<double, 1>(to / "3").compute()),
            result_bits::bits_of(ts::open<double, 1>(to / "4").compute())};
  }

 private:
  using line = ts::array<double, 1>;
  using matrix = ts::array<double, 2>;

  [[nodiscard]] std::tuple<line, line, matrix, line, line> folds_in(const ts::spec& limits) const {
    const auto x = ts::open<double, 2>(directory_ / "x", limits);
    const line sums = ts::sum(x, ts::axis<0>);
    return {sums, ts::var(x, ts::axis<0>), ts::coarsen(ts::op::mean{}, x, {2, 2}),
            ts::sqrt(ts::abs(sums)),
            ts::sum(ts::open<double, 2>(directory_ / "y", limits), ts::axis<0>)};
  }

  temporary_directory directory_;
};

RC_GTEST_PROP(FoldBits, AreThoseOfWhatIsComputedWhereChunksOfTheStoreAreCoarser, ()) {
  static const folds_in_coarser_chunks folds;
  static const std::vector<bits> expected = folds.computed();
  circumstances in = pick_circumstances_and_passes();
  in.passes.fuse_levels = *rc::gen::arbitrary<bool>();
  RC_ASSERT(unlike(folds.stored(in), expected) == none);
}

/// Folds of stored arrays, which the tasks of their producer may compute as well, in blocks as they
/// grow.
class folds_of_what_is_stored {
 public:
  folds_of_what_is_stored() {
    ts::store(ts::random::normal<double>({480, 360}, {.chunks = {100, 90}, .seed = 13}),
              directory_ / "x");
  }

  [[nodiscard]] std::vector<bits> run(const circumstances& in) const {
    const temporary_directory to;
    const auto x = ts::open<double, 2>(directory_ / "x", in.limits);
    const ts::array<double, 2> base = x * 1.1;
    const ts::array<double, 2> means = ts::coarsen(ts::op::mean{}, base, {2, 3});
    const ts::array<double, 2> deviations = ts::coarsen(ts::op::var{}, base, {40, 1});
    const ts::array<double, 2> norms = ts::coarsen(ts::op::sum{}, means, {8, 40});
    ts::plan(in.passes, in.settings, ts::stored(base, to / "0"),
             ts::stored(means, to / "1", {.chunks = {50, 30}}), ts::stored(deviations, to / "2"),
             ts::stored(norms, to / "3", {.chunks = {3, 1}}))
        .execute();
    std::vector<bits> collected;
    for (const char* name : {"0", "1", "2", "3"}) {
      collected.push_back(result_bits::bits_of(ts::open<double, 2>(to / name).compute()));
    }
    return collected;
  }

 private:
  temporary_directory directory_;
};

RC_GTEST_PROP(FoldBits, OfLevelsAreThoseOfFoldsApart, ()) {
  static const folds_of_what_is_stored folds;
  static const std::vector<bits> expected = [] {
    circumstances apart;
    apart.passes.fuse_levels = false;
    return folds.run(apart);
  }();
  circumstances in = pick_circumstances_and_passes();
  in.passes.fuse_levels = *rc::gen::arbitrary<bool>();
  RC_ASSERT(unlike(folds.run(in), expected) == none);
}

const result_bits::folds_of_pieces& pieces() {
  static const temporary_directory directory;
  static const result_bits::folds_of_pieces pieces_of_arrays(directory / "arrays");
  return pieces_of_arrays;
}

RC_GTEST_PROP(FoldBits, OfPiecesDependOnNeither, ()) {
  static const std::vector<bits> expected = pieces().run({});
  RC_ASSERT(unlike(pieces().run(pick_circumstances_and_passes()), expected) == none);
}

RC_GTEST_PROP(FoldBits, OfAPartAreThoseOfTheWhole, ()) {
  static const std::vector<bits> expected = pieces().parts_of_wholes();
  RC_ASSERT(unlike(pieces().parts(pick_circumstances_and_passes()), expected) == none);
}

}  // namespace

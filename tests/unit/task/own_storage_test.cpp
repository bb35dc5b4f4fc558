// SPDX-License-Identifier: Apache-2.0
/// \file
/// Storage that the library does not know: a source of computed chunks, and a destination that
/// keeps chunks in a map. It is read in chunks of 3 and written in chunks of 4.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/core/error.hpp"
#include "tessera/lower/lower.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/tessera.hpp"

#include "task/api/target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

constexpr index_t extent = 20;
constexpr index_t read_chunk_length = 3;
constexpr index_t write_chunk_length = 4;

/// The common part of both: a vector of float64 in chunks that need no decoding.
template <class Port>
class vector_port : public Port {
 public:
  [[nodiscard]] std::string name() const override { return "own"; }
  [[nodiscard]] const element_type& type() const override { return type_; }
  [[nodiscard]] const index_vector& shape() const override { return grid_.shape(); }
  [[nodiscard]] const chunk_grid& read_grid() const override { return grid_; }
  [[nodiscard]] chunk_cost read_cost() const override {
    return {.decoded = read_chunk_length * sizeof(double)};
  }
  [[nodiscard]] const index_vector& chunk_strides() const override { return strides_; }
  [[nodiscard]] std::span<const std::byte> fill() const override {
    return std::as_bytes(std::span(&zero_, 1));
  }
  [[nodiscard]] bool read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                std::span<std::byte>) const override {
    for (index_t i = 0; i < read_chunk_length; ++i) {
      const double value = element(chunk[0] * read_chunk_length + i);
      std::memcpy(decoded.data() + i * 8, &value, sizeof value);
    }
    return true;
  }
  bool read_region(const region& box, std::span<std::byte> into, std::span<std::byte>,
                   std::span<std::byte>, std::span<const index_t> steps,
                   std::span<const index_t>) const override {
    std::size_t at = 0;
    const index_t step = steps.empty() ? 1 : steps[0];
    for (index_t i = box.start[0]; i < box.stop[0]; i += step, at += sizeof(double)) {
      const double value = element(i);
      std::memcpy(into.data() + at, &value, sizeof value);
    }
    return true;
  }
  [[nodiscard]] bool is_same(const array_source& source) const override { return this == &source; }
  [[nodiscard]] std::string state() const override { return "as ever"; }
  [[nodiscard]] array_recipe recipe(const std::string& array) const override {
    throw value_error(array + " stays here");
  }

 protected:
  [[nodiscard]] virtual double element(index_t i) const = 0;

 private:
  element_type type_ = dtype::float64;
  chunk_grid grid_{index_vector{extent}, index_vector{read_chunk_length}};
  index_vector strides_{1};
  double zero_ = 0;
};

class squares final : public vector_port<array_source> {
 protected:
  [[nodiscard]] double element(index_t i) const override { return static_cast<double>(i * i); }
};

/// The chunks that were written, by number.
struct written_chunks {
  std::mutex mutex;
  std::map<index_t, std::vector<double>> chunks;
  /// The address of each chunk when it was handed over.
  std::map<index_t, const std::byte*> addresses;
};

class map_sink final : public vector_port<array_sink> {
 public:
  explicit map_sink(std::shared_ptr<written_chunks> written) : written_(std::move(written)) {}
  [[nodiscard]] const chunk_grid& write_grid() const override { return grid_; }
  [[nodiscard]] bool has_chunk(std::span<const index_t> chunk) const override {
    return written_->chunks.contains(chunk[0]);
  }
  void write_chunk(std::span<const index_t> chunk, const std::byte* data, std::span<std::byte>,
                   std::span<std::byte>) const override {
    std::vector<double> values(write_chunk_length);
    std::memcpy(values.data(), data, values.size() * sizeof(double));
    const std::lock_guard lock(written_->mutex);
    written_->addresses.emplace(chunk[0], data);
    ASSERT_TRUE(written_->chunks.emplace(chunk[0], std::move(values)).second) << "written twice";
  }
  void write_region(const region&, std::span<const std::byte>, std::span<std::byte>,
                    std::span<std::byte>) const override {}
  void mark(const std::string&) const override {}
  void unmark() const override {}

 protected:
  [[nodiscard]] double element(index_t i) const override {
    return written_->chunks.at(i / write_chunk_length)
        .at(static_cast<std::size_t>(i % write_chunk_length));
  }

 private:
  std::shared_ptr<written_chunks> written_;
  chunk_grid grid_{index_vector{extent}, index_vector{write_chunk_length}};
};

class map_destination final : public array_destination {
 public:
  explicit map_destination(std::shared_ptr<written_chunks> written)
      : sink_(std::make_shared<const map_sink>(std::move(written))) {}
  /// The name of the library's own kind.
  [[nodiscard]] std::string_view kind() const override { return "zarr"; }
  [[nodiscard]] std::string name() const override { return "own"; }
  [[nodiscard]] const element_type& type() const override { return sink_->type(); }
  [[nodiscard]] const index_vector& shape() const override { return sink_->shape(); }
  [[nodiscard]] const chunk_grid& read_grid() const override { return sink_->read_grid(); }
  [[nodiscard]] const chunk_grid& write_grid() const override { return sink_->write_grid(); }
  [[nodiscard]] chunk_cost read_cost() const override { return sink_->read_cost(); }
  [[nodiscard]] chunk_cost write_cost() const override {
    return {.decoded = write_chunk_length * sizeof(double)};
  }
  [[nodiscard]] bool is_row_major() const override { return true; }
  [[nodiscard]] std::shared_ptr<const array_sink> create(const std::string&) const override {
    return sink_;
  }
  [[nodiscard]] std::shared_ptr<const array_sink> open() const override { return sink_; }
  [[nodiscard]] std::shared_ptr<const array_sink> take_over() const override { return sink_; }
  [[nodiscard]] bool exists() const override { return false; }
  [[nodiscard]] bool is_marked(const std::string&) const override { return false; }
  void require_replaceable() const override {}
  [[nodiscard]] std::shared_ptr<const array_destination> in(const std::string&) const override {
    return nullptr;
  }
  [[nodiscard]] array_recipe recipe(const std::string& array) const override {
    return sink_->recipe(array);
  }
  void check_together(std::span<const named> names) const override {
    if (names.size() > 1) throw value_error(names[1].second + " has no place of its own");
  }
  void check_room(std::span<const array_destination* const>, const std::string&) const override {}
  void refuse_overwriting(std::span<const array_destination* const>,
                          std::span<const array_source* const>) const override {}

 private:
  std::shared_ptr<const array_sink> sink_;
};

array<double, 1> own_array() {
  auto node = std::make_shared<const array_node>(
      array_node{dtype::float64,
                 {extent},
                 {read_chunk_length},
                 "squares",
                 stored_source{std::make_shared<const squares>()}});
  return {whole_of(std::move(node)), array_layout{{extent}, {read_chunk_length}, nullptr}};
}

TEST(OwnStorage, IsReadChunkByChunk) {
  const auto values = (own_array() + 1.0).compute();
  for (index_t i = 0; i < extent; ++i) EXPECT_EQ(values(i), static_cast<double>(i * i + 1));
}

// 0 + 1 + 4 + ... + 361
TEST(OwnStorage, IsFoldedAndGathered) {
  EXPECT_EQ(sum(own_array()).compute()(), 2470.0);
  const auto every_other = own_array()(slice(1, none, 2)).compute();
  for (index_t i = 0; i < extent / 2; ++i) {
    EXPECT_EQ(every_other(i), static_cast<double>((2 * i + 1) * (2 * i + 1)));
  }
}

TEST(OwnStorage, IsWrittenInItsOwnGrid) {
  const auto written = std::make_shared<written_chunks>();
  const array_handle twice = computed(lower(own_array() * 2.0, {write_chunk_length}));
  const auto engine = executors::threads(2);
  const bounded_plan plan({{twice, std::make_shared<const map_destination>(written)}}, spec{}, {},
                          workers_of(*engine));
  run(plan, {.executor = engine});
  ASSERT_EQ(written->chunks.size(), 5U);
  for (const auto& [chunk, values] : written->chunks) {
    for (index_t i = 0; i < write_chunk_length; ++i) {
      const index_t at = chunk * write_chunk_length + i;
      EXPECT_EQ(values.at(static_cast<std::size_t>(i)), static_cast<double>(2 * at * at));
    }
  }
}

// One task makes all of them, which lie one behind the other as it has made them.
TEST(OwnStorage, IsHandedChunksFromWhereTheyWereMade) {
  constexpr index_t length = extent;
  const auto written = std::make_shared<written_chunks>();
  const array_handle twice = computed(lower(own_array() * 2.0, {length}));
  const bounded_plan plan({{twice, std::make_shared<const map_destination>(written)}}, spec{});
  ASSERT_EQ(plan.num_tasks(), 1);
  run(plan, {.executor = executors::serial()});
  ASSERT_EQ(written->addresses.size(), 5U);
  for (const auto& [chunk, address] : written->addresses) {
    EXPECT_EQ(address - written->addresses.at(0),
              chunk * write_chunk_length * static_cast<index_t>(sizeof(double)));
  }
}

TEST(OwnStorage, IsAskedWhetherResultsGoTogether) {
  const auto to = std::make_shared<const map_destination>(std::make_shared<written_chunks>());
  const array_handle x = computed(lower(own_array() * 2.0, {write_chunk_length}));
  const array_handle y = computed(lower(own_array() * 3.0, {write_chunk_length}));
  EXPECT_THROW(bounded_plan({{x, to}, {y, to}}, spec{}), value_error);
}

TEST(OwnStorage, IsAskedApartFromStorageWhoseKindHasTheSameName) {
  const std::shared_ptr<const array_destination> to =
      std::make_shared<const map_destination>(std::make_shared<written_chunks>());
  zarr_destination described;
  described.store = std::make_shared<memory_store>();
  described.path = "y";
  described.metadata.shape = {extent};
  described.metadata.chunks = {write_chunk_length};
  described.metadata.dtype = dtype::float64;
  const auto stored = as_destination(described);
  const array_handle x = computed(lower(own_array() * 2.0, {write_chunk_length}));
  const array_handle y = computed(lower(own_array() * 3.0, {write_chunk_length}));
  const bounded_plan own_first({{x, to}, {y, stored}}, spec{});
  const bounded_plan own_last({{x, stored}, {y, to}}, spec{});
  EXPECT_EQ(own_first.num_tasks(), own_last.num_tasks());
}

}  // namespace
}  // namespace tessera

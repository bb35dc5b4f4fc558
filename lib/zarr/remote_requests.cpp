// SPDX-License-Identifier: Apache-2.0
/// \file
/// Readers and writers of arrays with several requests in flight.

#include "zarr/remote_requests.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/kept_memory.hpp"
#include "core/api/location_names.hpp"
#include "store/api/write_ring.hpp"
#include "zarr/reads_ahead.hpp"
#include "zarr/region_io.hpp"
#include "zarr/task_store.hpp"

#include <chrono>
#include <utility>

namespace tessera::detail {

namespace {

/// Reads an array by requests that are started ahead.
class zarr_chunk_reader final : public chunk_reader {
 public:
  zarr_chunk_reader(const zarr_array_state& array, std::shared_ptr<reads_ahead> ahead)
      : array_(array), ahead_(std::move(ahead)) {
    array_.store = ahead_;
  }

  void begin(expected_reads expected, std::span<const index_t> steps) override {
    ahead_->begin(std::move(expected), steps);
  }
  [[nodiscard]] bool read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                std::span<std::byte> encoded) override {
    const kept_memory_scope scope;
    const bool is_there = array_.load(chunk, decoded, encoded);
    if (!is_there) array_.require_no_missing(chunk);
    ahead_->top_up_shards();
    return is_there;
  }
  bool read_region(const region& box, std::span<std::byte> into, std::span<std::byte> decoded,
                   std::span<std::byte> encoded, std::span<const index_t> steps,
                   std::span<const index_t> strides) override {
    return detail::read_region(array_, box, into, {decoded, encoded}, steps, strides);
  }

 private:
  /// The array in the store of its requests.
  zarr_array_state array_;
  std::shared_ptr<reads_ahead> ahead_;
};

/// The store of an array for one task: values are written while the task goes on.
class writes_behind final : public task_store {
 public:
  writes_behind(std::shared_ptr<const zarr_array_state> array, const ring_memory& memory)
      : task_store(std::move(array)), ring_(store(), memory.places, memory.num_places) {}

  void write(std::string_view key, std::span<const std::byte> value) override {
    ring_.write(key, value);
  }
  void finish() { ring_.finish(); }

 private:
  write_ring ring_;
};

/// Writes an array by requests that end later.
class zarr_chunk_writer final : public chunk_writer {
 public:
  zarr_chunk_writer(const zarr_array_state& array, std::shared_ptr<writes_behind> behind)
      : array_(array), behind_(std::move(behind)) {
    array_.store = behind_;
  }

  void write_chunk(std::span<const index_t> chunk, const std::byte* data,
                   std::span<std::byte> encoded, std::span<std::byte> scratch) override {
    array_.write_unit(chunk, data, encoded, scratch);
  }
  void finish() override { behind_->finish(); }

 private:
  /// The array in the store of its requests.
  zarr_array_state array_;
  std::shared_ptr<writes_behind> behind_;
};

}  // namespace

std::optional<request_cost> request_costs::of(key_value_store& store,
                                              const chunk_cost& chunk) const {
  std::call_once(is_found_, [&] {
    const store_traits traits = store.traits();
    const bool is_far = traits.latency > std::chrono::seconds::zero();
    if (!is_far || store.reads() == nullptr) return;
    cost_ = request_cost{.latency = traits.latency,
                         .bandwidth = traits.bandwidth,
                         .most_in_flight = traits.num_requests,
                         .largest = chunk.encoded > 0 ? chunk.encoded : chunk.decoded,
                         .kept = static_cast<std::size_t>(traits.kept_per_request.count()),
                         .has_writes = traits.is_writable && store.writes() != nullptr};
  });
  return cost_;
}

std::shared_ptr<key_value_store> far_store_of(const std::string& work_dir) {
  if (!is_location(work_dir)) return nullptr;
  thread_local std::pair<std::string, std::shared_ptr<key_value_store>> last;
  if (last.first == work_dir) return last.second;
  std::shared_ptr<key_value_store> store;
  try {
    store = open_store(work_dir);
  } catch (const error&) {
    // A run that needs the store tells why it cannot be opened.
    return nullptr;
  }
  const bool is_far = store->traits().latency > std::chrono::seconds::zero();
  last = {work_dir, is_far && store->recipe() ? std::move(store) : nullptr};
  return last.second;
}

std::unique_ptr<chunk_reader> make_chunk_reader(std::shared_ptr<const zarr_array_state> array,
                                                const ring_memory& memory) {
  return std::make_unique<zarr_chunk_reader>(*array, std::make_shared<reads_ahead>(array, memory));
}

std::unique_ptr<chunk_writer> make_chunk_writer(std::shared_ptr<const zarr_array_state> array,
                                                const ring_memory& memory) {
  return std::make_unique<zarr_chunk_writer>(*array,
                                             std::make_shared<writes_behind>(array, memory));
}

}  // namespace tessera::detail

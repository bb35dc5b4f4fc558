// SPDX-License-Identifier: Apache-2.0
/// \file
/// Readers of arrays with several requests in flight.

#include "core/api/kept_memory.hpp"
#include "zarr/reads_ahead.hpp"
#include "zarr/region_io.hpp"

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

}  // namespace

std::unique_ptr<chunk_reader> make_chunk_reader(std::shared_ptr<const zarr_array_state> array,
                                                const ring_memory& memory) {
  return std::make_unique<zarr_chunk_reader>(*array, std::make_shared<reads_ahead>(array, memory));
}

}  // namespace tessera::detail

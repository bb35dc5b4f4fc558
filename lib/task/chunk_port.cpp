// SPDX-License-Identifier: Apache-2.0
#include "task/chunk_port.hpp"

#include "task/task_buffers.hpp"

#include <utility>

namespace tessera {

namespace {

/// Returns a reader with the ring of the window, or nullptr if the window has none.
std::unique_ptr<chunk_reader> make_reader(const planned_operation& planned,
                                          const planned_window& window, const live_array& array,
                                          std::span<std::byte> memory) {
  const planned_ring& ring = window.ring;
  if (ring.num_places == 0) return nullptr;
  const auto& remote = dynamic_cast<const remote_port&>(*array.source);
  return remote.reader({buffer_in(memory, planned, ring.buffer), ring.num_places});
}

}  // namespace

chunk_port::chunk_port(const planned_operation& planned, const planned_window& window,
                       const live_array& array, std::span<std::byte> memory)
    : source_(array.source.get()),
      encoded_(buffer_in(memory, planned, window.encoded)),
      chunk_(buffer_in(memory, planned, window.chunk)),
      reader_(make_reader(planned, window, array, memory)) {}

void chunk_port::begin(expected_reads expected, std::span<const index_t> steps) {
  reader_->begin(std::move(expected), steps);
}

bool chunk_port::read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded) {
  return has_ring() ? reader_->read_chunk(chunk, decoded, encoded_)
                    : source_->read_chunk(chunk, decoded, encoded_);
}

bool chunk_port::read_region(const region& box, std::span<std::byte> into,
                             std::span<const index_t> steps, std::span<const index_t> strides) {
  return has_ring() ? reader_->read_region(box, into, chunk_, encoded_, steps, strides)
                    : source_->read_region(box, into, chunk_, encoded_, steps, strides);
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "store/api/read_ring.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {

read_ring::read_ring(const key_value_store& store, std::span<std::byte> memory,
                     std::size_t num_places)
    : store_(store),
      memory_(memory),
      num_places_(num_places),
      place_size_(memory.size() / num_places) {}

void read_ring::submit(std::string_view key, const byte_range& range) {
  if (queue_ == nullptr) queue_ = store_.reads();
  const std::size_t number = (first_ + reads_.size()) % num_places_;
  const std::size_t ticket = queue_->submit({.key = key, .range = range, .into = place(number)});
  reads_.push_back({ticket, std::string(key), range});
}

bool read_ring::is_next(std::string_view key, const byte_range& range) const {
  return !reads_.empty() && reads_.front().key == key && reads_.front().range == range;
}

std::optional<value_part> read_ring::take(std::span<std::byte> into) {
  const std::span<const std::byte> stored = place(first_);
  const std::size_t ticket = reads_.front().ticket;
  // The place is free even if the read has failed.
  reads_.pop_front();
  first_ = (first_ + 1) % num_places_;
  std::optional<value_part> part = queue_->wait(ticket);
  if (!part) return std::nullopt;
  part->size = std::min(part->size, into.size());
  if (part->size > 0) std::memcpy(into.data(), stored.data(), part->size);
  return part;
}

void read_ring::clear() {
  queue_.reset();
  reads_.clear();
  first_ = 0;
}

}  // namespace tessera

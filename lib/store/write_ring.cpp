// SPDX-License-Identifier: Apache-2.0
#include "store/api/write_ring.hpp"

#include <cstring>
#include <exception>

namespace tessera {

write_ring::write_ring(key_value_store& store, std::span<std::byte> memory, std::size_t num_places)
    : store_(store),
      memory_(memory),
      num_places_(num_places),
      place_size_(memory.size() / num_places) {}

void write_ring::write(std::string_view key, std::span<const std::byte> value) {
  if (value.size() > place_size_) return store_.write(key, value);
  if (tickets_.size() == num_places_) wait_for_oldest();
  if (queue_ == nullptr) queue_ = store_.writes();
  const std::span<std::byte> place = memory_.subspan(next_ * place_size_, value.size());
  if (!value.empty()) std::memcpy(place.data(), value.data(), value.size());
  tickets_.push_back(queue_->submit(key, place));
  next_ = (next_ + 1) % num_places_;
}

void write_ring::finish() {
  std::exception_ptr failure;
  while (!tickets_.empty()) {
    try {
      wait_for_oldest();
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

void write_ring::wait_for_oldest() {
  const std::size_t ticket = tickets_.front();
  // The place is free even if the write has failed.
  tickets_.pop_front();
  queue_->wait(ticket);
}

}  // namespace tessera

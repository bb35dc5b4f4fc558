// SPDX-License-Identifier: Apache-2.0
#include "store/s3/read_queue.hpp"

#include "store/s3/s3_store.hpp"

#include <utility>

namespace tessera::s3 {

std::size_t s3_read_queue::submit(const read_request& request) {
  slot next{store_.begin_read(request), std::string(request.key)};
  if (free_.empty()) {
    free_.push_back(slots_.size());
    slots_.emplace_back();
  }
  const std::size_t ticket = free_.back();
  free_.pop_back();
  slots_[ticket] = std::move(next);
  return ticket;
}

bool s3_read_queue::is_complete(std::size_t ticket) const {
  return slots_[ticket].read->is_complete();
}

std::optional<value_part> s3_read_queue::wait(std::size_t ticket) {
  const slot done = std::exchange(slots_[ticket], {});
  free_.push_back(ticket);
  return store_.finish_read(*done.read, done.key);
}

}  // namespace tessera::s3

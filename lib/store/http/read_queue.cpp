// SPDX-License-Identifier: Apache-2.0
#include "store/http/read_queue.hpp"

#include "store/http/client.hpp"
#include "store/http/http_store.hpp"

#include <utility>

namespace tessera::http {

pending_request::pending_request(std::shared_ptr<request> asked) : asked_(std::move(asked)) {
  begin(asked_);
}

pending_request::~pending_request() {
  if (!has_ended(*asked_)) give_up({&asked_, 1});
}

const request& pending_request::wait() const {
  wait_for(*asked_);
  return *asked_;
}

http_read_queue::~http_read_queue() {
  std::vector<std::shared_ptr<request>> in_flight;
  for (slot& used : slots_) {
    if (used.asked != nullptr) in_flight.push_back(std::move(used.asked));
  }
  give_up(in_flight);
}

std::size_t http_read_queue::submit(const read_request& request) {
  slot next{store_.part_request(request), std::string(request.key), request.range};
  if (free_.empty()) {
    free_.push_back(slots_.size());
    slots_.emplace_back();
  }
  begin(next.asked);
  const std::size_t ticket = free_.back();
  free_.pop_back();
  slots_[ticket] = std::move(next);
  return ticket;
}

bool http_read_queue::is_complete(std::size_t ticket) const {
  return has_ended(*slots_[ticket].asked);
}

std::optional<value_part> http_read_queue::wait(std::size_t ticket) {
  const slot done = std::exchange(slots_[ticket], {});
  free_.push_back(ticket);
  wait_for(*done.asked);
  return store_.result_of(*done.asked, done.key, done.range);
}

}  // namespace tessera::http

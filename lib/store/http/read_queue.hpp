// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads in flight.

#include "tessera/store/transfers.hpp"

#include "store/http/request.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::http {

class http_store;

/// A request in flight. The destructor gives it up if it has not ended.
class pending_request {
 public:
  /// Begins the request. Throws: store_error <- there is no client.
  explicit pending_request(std::shared_ptr<request> asked);
  pending_request(const pending_request&) = delete;
  pending_request& operator=(const pending_request&) = delete;
  ~pending_request();

  /// Waits for the end of the request, and returns it.
  [[nodiscard]] const request& wait() const;

 private:
  std::shared_ptr<request> asked_;
};

class http_read_queue final : public read_queue {
 public:
  explicit http_read_queue(const http_store& store) : store_(store) {}
  ~http_read_queue() override;

  [[nodiscard]] std::size_t submit(const read_request& request) override;
  [[nodiscard]] bool is_complete(std::size_t ticket) const override;
  std::optional<value_part> wait(std::size_t ticket) override;

 private:
  struct slot {
    std::shared_ptr<request> asked;
    std::string key;
    byte_range range;
  };

  const http_store& store_;
  std::vector<slot> slots_;
  std::vector<std::size_t> free_;
};

}  // namespace tessera::http

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads in flight.

#include "tessera/store/transfers.hpp"

#include "store/s3/value_read.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::s3 {

class s3_store;

class s3_read_queue final : public read_queue {
 public:
  explicit s3_read_queue(const s3_store& store) : store_(store) {}

  [[nodiscard]] std::size_t submit(const read_request& request) override;
  [[nodiscard]] bool is_complete(std::size_t ticket) const override;
  std::optional<value_part> wait(std::size_t ticket) override;

 private:
  struct slot {
    std::unique_ptr<value_read> read;
    std::string key;
  };

  const s3_store& store_;
  std::vector<slot> slots_;
  std::vector<std::size_t> free_;
};

}  // namespace tessera::s3

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Hashes of values in a row, for tables within a process.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tessera {

/// A hash of values in a row: equal rows have equal hashes, others hardly ever.
///
/// Its numbers mean nothing outside of the process; `fingerprint` is for hashes that are stored.
class row_hash {
 public:
  row_hash& add(std::uint64_t word) {
    // The finaliser of MurmurHash3, whose words each bit reaches.
    state_ = (state_ ^ word) + 0x9e3779b97f4a7c15;
    state_ = (state_ ^ (state_ >> 33)) * 0xff51afd7ed558ccd;
    state_ = (state_ ^ (state_ >> 33)) * 0xc4ceb9fe1a85ec53;
    state_ ^= state_ >> 33;
    return *this;
  }
  row_hash& add(const void* address) { return add(std::hash<const void*>()(address)); }
  row_hash& add(std::string_view text) { return add(std::hash<std::string_view>()(text)); }
  row_hash& add(const index_vector& indices) {
    add(indices.size());
    for (const index_t index : indices) add(static_cast<std::uint64_t>(index));
    return *this;
  }
  row_hash& add(const region& box) { return add(box.start).add(box.stop); }
  row_hash& add(const index_map& map) {
    add(map.domain_rank()).add(map.array_rank());
    for (const axis_map& axis : map.axes()) {
      add(static_cast<std::uint64_t>(axis.offset)).add(axis.terms().size());
      for (const axis_term& term : axis.terms()) {
        add(term.axis).add(static_cast<std::uint64_t>(term.step));
      }
    }
    return *this;
  }

  [[nodiscard]] std::size_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace tessera

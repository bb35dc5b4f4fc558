// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans: a program over a domain, strip by strip, whose results are scanned along an axis.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/scan_kernel.hpp"
#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// The prefixes of lines along one axis, in order: each element of the result is the state of its
/// line at that element.
///
/// States restart at each multiple of `leaf` and are combined with the state before it. So the bits
/// depend on `leaf` alone, in one stage and in three: totals of leaves, exclusive prefixes of the
/// totals, and the elements of each leaf.
struct scan_sink {
  enum class stage {
    local,             ///< the elements of whole lines
    block_totals,      ///< the last state of each leaf, in `per_block` outputs
    exclusive_prefix,  ///< the combined states before each leaf, in a domain of leaves
    rescan,            ///< the elements of leaves, combined with the prefix of the leaf
  };
  const scan_kernel* kernel = nullptr;
  kernel_parameters parameters = {};
  std::size_t axis = 0;
  index_t leaf = 1;
  /// Whether lines begin at the end of the axis.
  bool is_reversed = false;
  /// The elements before the first result: one less than a window.
  index_t skipped = 0;
  stage scan_stage = stage::local;

  /// Returns the types of the state fields between stages.
  [[nodiscard]] std::vector<dtype> state_types() const;
  /// Returns the types of the results of a program that it takes.
  [[nodiscard]] std::vector<dtype> input_types() const;
  /// Returns the types of its outputs.
  [[nodiscard]] std::vector<dtype> output_types() const;
  /// Returns the number of values of a state field in a state.
  [[nodiscard]] index_t state_length() const;
  /// Tells whether both have the same lines, leaves and stage.
  [[nodiscard]] bool goes_like(const scan_sink& rhs) const {
    return axis == rhs.axis && leaf == rhs.leaf && is_reversed == rhs.is_reversed &&
           skipped == rhs.skipped && scan_stage == rhs.scan_stage;
  }
  [[nodiscard]] bool operator==(const scan_sink&) const = default;
};

/// Returns the scan of the only result of `whole`, a piece that covers the domain.
[[nodiscard]] primitive_handle scan_of(piece whole, scan_sink sink);

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements and regions of the arrays that results are stored in, in any format.

#include "tessera/array/in_out.hpp"
#include "tessera/storage/data_type.hpp"
#include "tessera/storage/element_bytes.hpp"

#include <optional>

namespace tessera::detail {

/// Returns the fill value of the options as an element, or nullopt without one.
[[nodiscard]] std::optional<element_bytes> fill_of(const store_options& options,
                                                   const data_type& type);

/// Returns `array` extended to whole chunks of the destination; the elements around it keep their
/// values. Returns `array` itself if it covers whole chunks.
[[nodiscard]] array_handle with_border(const array_handle& array, const array_layout& layout,
                                       const array_destination& destination);

}  // namespace tessera::detail

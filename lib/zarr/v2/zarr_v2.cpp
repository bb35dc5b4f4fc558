// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_v2.hpp"

#include <fmt/format.h>

namespace tessera {

zarr_v2 zarr_v2::of(const zarr_metadata& metadata) {
  return {.filters = metadata.filters,
          .compressor = metadata.compressor,
          .order = metadata.order.name(),
          .separator = metadata.dimension_separator};
}

void zarr_v2::apply(zarr_metadata& metadata) const {
  metadata.filters = filters;
  metadata.compressor = compressor;
  metadata.order = order;
  metadata.dimension_separator = separator;
}

std::optional<detail::option_conflict> detail::find_conflict(const zarr_v2& options,
                                                             const zarr_metadata& metadata) {
  const zarr_v2 usual;
  const zarr_v2 stored = zarr_v2::of(metadata);
  if (options.compressor != usual.compressor && options.compressor != stored.compressor) {
    return option_conflict{"compressor", stored.compressor.to_json()};
  }
  if (!options.filters.empty() && options.filters != stored.filters) {
    return option_conflict{"filters", fmt::format("{} others", stored.filters.size())};
  }
  if (options.order != usual.order && options.order != stored.order) {
    return option_conflict{"order", fmt::format("'{}'", stored.order)};
  }
  if (options.separator != usual.separator && options.separator != stored.separator) {
    return option_conflict{"dimension_separator", fmt::format("'{}'", stored.separator)};
  }
  return std::nullopt;
}

}  // namespace tessera

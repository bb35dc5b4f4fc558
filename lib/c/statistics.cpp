// SPDX-License-Identifier: Apache-2.0
#include "tessera/c/tessera.h"
#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "c/handles.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>

namespace tessera::c {

namespace {

/// The moments of numbers, updated by Welford's recurrence: numbers of like size keep their digits.
struct moments {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  double mean = 0;
  /// The sum of squared deviations from the mean.
  double squares = 0;
  std::int64_t count = 0;

  void add(double value) {
    if (std::isnan(value)) return;
    ++count;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    const double deviation = value - mean;
    mean += deviation / static_cast<double>(count);
    squares += deviation * (value - mean);
  }
};

template <class T>
void add_elements(moments& sums, std::span<const std::byte> elements) {
  if constexpr (is_complex(dtype_of<T>)) {
    throw dtype_error("statistics: complex numbers have no order");
  } else if constexpr (std::same_as<T, bool>) {
    // A file may have bytes that are no bool.
    for (const std::byte value : elements) sums.add(value == std::byte{0} ? 0 : 1);
  } else {
    const auto* const first = reinterpret_cast<const T*>(elements.data());
    for (const T& value : std::span(first, elements.size() / sizeof(T))) {
      sums.add(static_cast<double>(value));
    }
  }
}

moments moments_of(const zarr_array& array) {
  moments sums;
  if (num_elements(array.shape()) == 0) return sums;
  chunk_buffers buffers(array);
  const auto most = num_elements(clip_chunks(array.chunks(), array.shape()));
  const auto elements = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(most) *
                                                                    array.itemsize());
  const chunk_grid& grid = array.grid();
  for (index_t chunk = 0; chunk < grid.size(); ++chunk) {
    const region box = grid.chunk_region(grid.chunk_at(chunk));
    const std::span part(elements.get(),
                         static_cast<std::size_t>(box.num_elements()) * array.itemsize());
    (void)array.read_region(box, part, buffers.decoded(), buffers.encoded());
    visit_dtype(array.dtype(), [&]<class T>(type_tag<T>) { add_elements<T>(sums, part); });
  }
  return sums;
}

}  // namespace

}  // namespace tessera::c

extern "C" int tessera_get_statistics(tessera_array array, tessera_statistics* statistics) {
  using namespace tessera::c;
  return guarded([&] {
    tessera_statistics& result = *required(statistics, "statistics");
    result = {};
    const tessera::zarr_array source = array_of(array);
    const moments sums = moments_of(source.with({.missing = tessera::missing_chunks::fill}));
    if (sums.count == 0) return;
    const double variance = sums.squares / static_cast<double>(sums.count);
    result = {sums.least, sums.greatest, sums.mean, std::sqrt(variance), sums.count};
  });
}

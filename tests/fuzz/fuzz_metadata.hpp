// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps that the fuzz targets of metadata take with an input.

#include "tessera/core/error.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tessera::testing {

/// Parses an input by `parse`, which may refuse it by a zarr_error and nothing else. Accepted
/// metadata are written by `write` and parsed again, which gives the same text once more.
template <class Parse, class Write>
int fuzz_metadata(const std::uint8_t* data, std::size_t size, Parse parse, Write write) {
  // A copy of its own, so that reading behind its end is found.
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = write(parse(text));
  } catch (const zarr_error&) {
    return 0;
  }
  // Written metadata must be readable, and nothing may be lost.
  if (write(parse(written)) != written) std::abort();
  return 0;
}

}  // namespace tessera::testing

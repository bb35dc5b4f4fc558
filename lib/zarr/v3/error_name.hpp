// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names the document in errors.

#include "tessera/core/error.hpp"

#include <string>
#include <string_view>

namespace tessera::detail::v3 {

/// Returns the result of `f()`. An error of codecs or documents becomes a zarr_error with `name` in
/// front.
template <class F>
decltype(auto) with_name(std::string_view name, F f) {
  try {
    return f();
  } catch (const error& failure) {
    throw zarr_error(std::string(name) + ": " + failure.what());
  }
}

}  // namespace tessera::detail::v3

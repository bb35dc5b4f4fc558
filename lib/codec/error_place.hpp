// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names the place of a codec in the errors that it throws.

#include "tessera/core/error.hpp"

#include <string>

namespace tessera::detail {

/// Returns the result of `f()`. A codec_error of `f` gets the text `place()` in front.
template <class F, class Place>
decltype(auto) with_error_place(F f, Place place) {
  try {
    return f();
  } catch (const codec_error& failure) {
    throw codec_error(std::string(place()) + ": " + failure.what());
  }
}

}  // namespace tessera::detail

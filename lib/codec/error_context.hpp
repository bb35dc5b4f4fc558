// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Puts the context of a codec in front of the messages of its errors.

#include "tessera/core/error.hpp"

#include <string>

namespace tessera::detail {

/// Returns the result of `f()`. A codec_error of `f` gets the text `context()` in front.
template <class F, class Context>
decltype(auto) with_error_context(F f, Context context) {
  try {
    return f();
  } catch (const codec_error& failure) {
    throw codec_error(std::string(context()) + ": " + failure.what());
  }
}

}  // namespace tessera::detail

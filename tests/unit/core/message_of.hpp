// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The messages of expected errors.

#include <gtest/gtest.h>
#include <string>

namespace tessera::testing {

/// Expects that `f` throws an `Error`, and returns its message.
template <class Error, class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace tessera::testing

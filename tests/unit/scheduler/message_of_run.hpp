// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The message of a run that is expected to fail.

#include "tessera/scheduler/scheduler.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera::testing {

/// Expects that a run ends with an `Error`, and returns its message.
template <class Error>
std::string message_of_run(workload& work, executor& engine, const run_options& options = {}) {
  try {
    run(work, engine, options);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "the run did not fail";
  return {};
}

}  // namespace tessera::testing

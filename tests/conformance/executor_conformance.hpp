// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What every executor must do under the scheduler; `register_executor_conformance` makes the tests
/// of one executor.

#include "tessera/executor/executor.hpp"

#include <functional>
#include <memory>
#include <string>

namespace tessera::testing {

/// Registers the conformance tests of an executor as `Executor/<name>.<Test>`.
///
/// Returns true, so that a registration can initialise a constant.
bool register_executor_conformance(const std::string& name,
                                   const std::function<std::shared_ptr<executor>()>& make);

}  // namespace tessera::testing

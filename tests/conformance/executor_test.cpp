// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"

#include "conformance/executor_conformance.hpp"

namespace tessera::testing {
namespace {

// clang-format off
const bool serial = register_executor_conformance("serial", [] { return executors::serial(); });
const bool one_thread = register_executor_conformance("threads1", [] { return executors::threads(1); });
const bool two_threads = register_executor_conformance("threads2", [] { return executors::threads(2); });
const bool many_threads = register_executor_conformance("threads9", [] { return executors::threads(9); });
// clang-format on

}  // namespace
}  // namespace tessera::testing

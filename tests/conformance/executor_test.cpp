// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/testing/executor_conformance.hpp"

namespace tessera::testing {
namespace {

const bool serial = register_executor_conformance("serial", executors::serial);
const bool thread = register_executor_conformance("threads1", [] { return executors::threads(1); });
const bool couple = register_executor_conformance("threads2", [] { return executors::threads(2); });
const bool crowd = register_executor_conformance("threads9", [] { return executors::threads(9); });

}  // namespace
}  // namespace tessera::testing

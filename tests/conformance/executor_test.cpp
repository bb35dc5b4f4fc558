// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/testing/executor_conformance.hpp"

namespace tessera::testing {
namespace {

bool add_processes(std::size_t count) {
  return register_executor_conformance("processes" + std::to_string(count),
                                       [count] { return executors::processes(count); },
                                       {.shares_memory = false,
                                        .replaces_workers = true,
                                        .stops_workers = true,
                                        .limits_memory = true});
}

const bool serial = register_executor_conformance("serial", executors::serial);
const bool thread = register_executor_conformance("threads1", [] { return executors::threads(1); });
const bool couple = register_executor_conformance("threads2", [] { return executors::threads(2); });
const bool own1 = add_processes(1);
const bool own2 = add_processes(2);
const bool own4 = add_processes(4);
const bool crowd = register_executor_conformance("threads9", [] { return executors::threads(9); });

}  // namespace
}  // namespace tessera::testing

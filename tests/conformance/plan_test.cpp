// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/testing/plan_conformance.hpp"

namespace tessera::testing {
namespace {

const bool threads = register_plan_conformance("threads3", [] { return executors::threads(3); });
const bool processes =
    register_plan_conformance("processes3", [] { return executors::processes(3); });

}  // namespace
}  // namespace tessera::testing

// SPDX-License-Identifier: Apache-2.0
#include "task/prediction.hpp"

#include "tessera/core/error.hpp"

#include "task/api/simulation.hpp"

#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace tessera {

void throw_prediction(workload& work, executor& engine, run_options options) {
  const session_time predicted = simulated_time(work, engine, std::move(options));
  throw value_error(fmt::format(
      "compute: there are no results, for the executor \"{}\" only simulates; it predicts {:.4g} s "
      "on {} worker{}; call execute() of the plan to see that run, or choose an executor that "
      "computes, as \"threads\"",
      engine.name(), std::chrono::duration<double>(predicted).count(), engine.num_workers(),
      engine.num_workers() == 1 ? "" : "s"));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "task/prediction.hpp"

#include "tessera/core/error.hpp"

#include <chrono>
#include <fmt/format.h>
#include <memory>

namespace tessera {

namespace {

class stop_watch final : public observer {
 public:
  void on_computation_end(computation_outcome, session_time now) override { elapsed = now; }

  session_time elapsed{};
};

}  // namespace

void throw_prediction(workload& work, executor& engine, run_options options) {
  const auto watch = std::make_shared<stop_watch>();
  options.observers = {watch};
  run(work, engine, options);
  throw value_error(fmt::format(
      "compute: there are no results, for the executor \"{}\" only simulates; it predicts {:.4g} s "
      "on {} worker{}; call execute() of the plan to see that run, or choose an executor that "
      "computes, as \"threads\"",
      engine.name(), std::chrono::duration<double>(watch->elapsed).count(), engine.num_workers(),
      engine.num_workers() == 1 ? "" : "s"));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "tessera/task/run_with.hpp"

namespace tessera {

run_with run_with::or_else(const run_with& defaults) const {
  run_with merged = *this;
  if (!merged.executor) merged.executor = defaults.executor;
  if (!merged.max_attempts) merged.max_attempts = defaults.max_attempts;
  if (!merged.task_timeout) merged.task_timeout = defaults.task_timeout;
  if (!merged.backups) merged.backups = defaults.backups;
  if (!merged.resume) merged.resume = defaults.resume;
  if (merged.observers.empty()) merged.observers = defaults.observers;
  if (!merged.report) merged.report = defaults.report;
  return merged;
}

}  // namespace tessera

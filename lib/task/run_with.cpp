// SPDX-License-Identifier: Apache-2.0
#include "tessera/task/run_with.hpp"

namespace tessera {

run_with run_with::or_else(const run_with& other) const {
  run_with both = *this;
  if (!both.executor) both.executor = other.executor;
  if (!both.max_attempts) both.max_attempts = other.max_attempts;
  if (!both.task_timeout) both.task_timeout = other.task_timeout;
  if (!both.backups) both.backups = other.backups;
  if (!both.resume) both.resume = other.resume;
  if (both.observers.empty()) both.observers = other.observers;
  return both;
}

}  // namespace tessera

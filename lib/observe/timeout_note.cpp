// SPDX-License-Identifier: Apache-2.0
#include "observe/timeout_note.hpp"

#include <fmt/format.h>
#include <ostream>

namespace tessera {

void timeout_note::on_computation_begin(const computation_event& event) {
  if (!event.has_idle_timeout) return;
  out_
      << fmt::format(
             "the time-out of tasks has no effect on {}, which cannot stop a task; processes can\n",
             event.executor)
      << std::flush;
}

}  // namespace tessera

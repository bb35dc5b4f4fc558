// SPDX-License-Identifier: Apache-2.0
#include "observe/continuation_note.hpp"

#include <fmt/format.h>
#include <ostream>

namespace tessera {

void continuation_note::on_continuation(index_t num_done, index_t num_tasks) {
  if (num_done == 0) return;
  out_ << (num_done == num_tasks
               ? fmt::format("nothing to do: all {} tasks were there\n", num_tasks)
               : fmt::format("continuing: {} of {} tasks were there\n", num_done, num_tasks))
       << std::flush;
}

}  // namespace tessera

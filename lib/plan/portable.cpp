// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a plan can be run by other processes.

#include "tessera/core/error.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/plan/planned.hpp"

#include <fmt/format.h>

namespace tessera {

namespace {

constexpr const char* here = "or run it on an executor in this process: serial, threads";

void check_program(const planned_operation& planned, const strip_program& program) {
  for (const strip_step& step : program.steps) {
    if (!step.parameters.is_portable()) {
      throw value_error(fmt::format(
          "{}: '{}' calls a function object whose state cannot go to other processes, as it holds "
          "a pointer, a reference, or gaps between members of different sizes; give it the members "
          "`std::string save() const` and `static F load(std::string_view)`, {}",
          planned.what.name, planned.label, here));
    }
    // Refuses a name that two kernels bear.
    static_cast<void>(find_strip_kernel(step.kernel->name));
  }
}

}  // namespace

void bounded_plan::check_portable() const {
  for (const planned_array& array : implementation_->arrays) {
    if (const auto* stored = std::get_if<stored_source>(&array.place)) {
      static_cast<void>(stored->array->recipe(array.name));
    } else if (const auto* place = std::get_if<stored_place>(&array.place)) {
      static_cast<void>(place->to->recipe(array.name));
    }
  }
  for (const planned_operation& planned : implementation_->operations) {
    if (const auto* map = std::get_if<map_body>(&planned.what.body)) {
      for (const piece& part : map->pieces) check_program(planned, part.program);
    } else if (const auto* fold = std::get_if<fold_body>(&planned.what.body)) {
      check_program(planned, fold->program);
    }
  }
}

}  // namespace tessera

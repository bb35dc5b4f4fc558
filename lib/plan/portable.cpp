// SPDX-License-Identifier: Apache-2.0
/// \file
/// The check that other processes can run a plan.

#include "plan/api/planned.hpp"

namespace tessera {

void bounded_plan::check_portable() const {
  for (const planned_array& array : implementation_->arrays) {
    if (const auto* stored = std::get_if<stored_source>(&array.placement)) {
      static_cast<void>(stored->array->recipe(array.name));
    } else if (const auto* placement = std::get_if<stored_placement>(&array.placement)) {
      static_cast<void>(placement->to->recipe(array.name));
    }
  }
  for (const planned_operation& planned : implementation_->operations) {
    planned.op.primitive->check_portable(planned.op.name, planned.label);
  }
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "primitive/portable.hpp"

#include "tessera/core/error.hpp"

#include <boost/core/demangle.hpp>
#include <fmt/format.h>

namespace tessera {

void detail::require_portable(const kernel_parameters& parameters, const std::string& operation,
                              const std::string& label) {
  const portability_obstacle* const obstacle = parameters.obstacle();
  if (obstacle == nullptr) return;
  throw value_error(fmt::format(
      "{}: '{}' calls a function object that cannot go to other processes, as its type {} {}; let "
      "it hold values, as [a] in place of [&a], give it the members `std::string save() const` and "
      "`static F load(std::string_view)`, or run it on an executor in this process: serial, "
      "threads",
      operation, label, boost::core::demangle(obstacle->type->name()), obstacle->reason));
}

}  // namespace tessera

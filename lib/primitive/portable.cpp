// SPDX-License-Identifier: Apache-2.0
#include "primitive/portable.hpp"

#include "tessera/core/error.hpp"

#include <fmt/format.h>

namespace tessera {

void detail::require_portable(const kernel_parameters& parameters, const std::string& operation,
                              const std::string& label) {
  if (parameters.is_portable()) return;
  throw value_error(fmt::format(
      "{}: '{}' calls a function object whose state cannot go to other processes, as it holds "
      "a pointer, a reference, or gaps between members of different sizes; give it the members "
      "`std::string save() const` and `static F load(std::string_view)`, or run it on an "
      "executor in this process: serial, threads",
      operation, label));
}

}  // namespace tessera

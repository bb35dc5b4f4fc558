// SPDX-License-Identifier: Apache-2.0
#include "core/api/overwriting.hpp"

#include <fmt/format.h>

namespace tessera {

std::string record_of_whole_arrays(std::string_view run) {
  return fmt::format("overwriting-{}", run);
}

std::string reason_of_note(std::string_view run) {
  if (run == run_of_copy) {
    return "a copy by the program tessera writes it now, or was stopped while it did, so that it "
           "may lack elements; start that copy again, which continues it, or store the array anew";
  }
  return fmt::format(
      "the run {:.8}, which computes it from itself, overwrites it now, or was stopped while it "
      "did: some elements are new and some are old; start the program of that run again, which "
      "continues it, or store the array anew",
      run);
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
/// \file
/// Comparisons, predicates and choices for every dtype.
#include "tessera/function/comparison.hpp"
#include "tessera/function/predicates.hpp"
#include "tessera/function/selection.hpp"

#include "array/elementwise_table.hpp"

namespace tessera::detail {

std::vector<elementwise_entry> ordering_entries() {
  return entries_of_families<function::comparison_functions, function::predicate_functions,
                             function::selection_functions>();
}

}  // namespace tessera::detail

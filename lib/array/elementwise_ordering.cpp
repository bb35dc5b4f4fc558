// SPDX-License-Identifier: Apache-2.0
/// \file
/// Comparisons, predicates, choices and replacements of NaN for every dtype; tolerances and
/// replacements are the ones that typed arrays have by default.
#include "tessera/function/closeness.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/missing.hpp"
#include "tessera/function/predicates.hpp"
#include "tessera/function/selection.hpp"

#include "array/elementwise_table.hpp"

namespace tessera::detail {

std::vector<elementwise_entry> ordering_entries() {
  return entries_of_families<function::closeness_functions, function::comparison_functions,
                             function::missing_functions, function::predicate_functions,
                             function::selection_functions>();
}

}  // namespace tessera::detail

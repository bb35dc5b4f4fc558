// SPDX-License-Identifier: Apache-2.0
#include "tessera/labelled/detail/names.hpp"

#include "tessera/array/detail/print.hpp"
#include "tessera/core/error.hpp"
#include "tessera/labelled/detail/alignment.hpp"
#include "tessera/plan/node.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

array_layout named_layout(array_layout layout, std::span<const std::string_view> names) {
  layout.names = axis_names(std::vector<std::string>(names.begin(), names.end()));
  return layout;
}

void require_names(const array_view& opened, const array_layout& layout,
                   std::span<const std::string_view> asked) {
  if (layout.names.empty()) return;
  const std::vector<std::string> names = layout.names.list(layout.shape.size());
  if (std::equal(names.begin(), names.end(), asked.begin(), asked.end())) return;
  throw shape_error(
      fmt::format("open: {} has the dimensions ({}), and ({}) are asked for; ask for them as they "
                  "are, in their order, and permute_dims(x, dim<...>) gives them another",
                  opened.array->name, fmt::join(names, ", "), fmt::join(asked, ", ")));
}

std::ostream& print_named(std::ostream& out, dtype type, const array_layout& layout) {
  const std::vector<std::string> names = layout.names.list(layout.shape.size());
  return print_layout(out << '(' << fmt::format("{}", fmt::join(names, ", ")) << "): ", type,
                      layout);
}

}  // namespace tessera::detail

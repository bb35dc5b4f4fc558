// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stored arrays as views, and back.

#include "tessera/core/spec.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/storage/stored_array.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace tessera::detail {

/// Returns the stored array of `view`, or nullptr if `view` is not of a stored array.
[[nodiscard]] inline std::shared_ptr<const stored_array> stored_array_of(const array_view& view) {
  const auto* const source = std::get_if<stored_source>(&view.array->source);
  return source == nullptr ? nullptr : tessera::stored_array_of(*source->array);
}

/// Returns a view of all of a stored array of any elements, and its layout; `name` is its name in
/// messages.
[[nodiscard]] std::pair<array_view, array_layout> view_of(const stored_array& opened,
                                                          const std::string& name,
                                                          std::shared_ptr<const spec> limits);

}  // namespace tessera::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Labels of arrays, by which people find them in plans and runs.

#include "tessera/array/array.hpp"

#include <string>

namespace tessera {

namespace detail {

/// Throws value_error <- `label` is empty or has a control character, such as a line feed.
void require_label(const std::string& label);

}  // namespace detail

/// Returns `x` under a label: the operation that computes it has this label in the table, the
/// explanation and the picture of the plan, in progress, records and errors. The label is a name
/// for people: two arrays may have the same one. It is lost where `x` is computed as a part of
/// another operation.
///
/// Example: `const auto anomaly = ts::named(u - ts::mean(u, ts::axis<0>), "anomaly");`
/// Memory:  none. No element is computed or copied.
/// Throws:  value_error <- the label is empty, or has a control character.
template <array_expression X>
[[nodiscard]] array<typename X::value_type, X::rank> named(const X& x, const std::string& label) {
  detail::require_label(label);
  const array_layout layout = x.layout();
  return {with_label(lower_view(x), layout.shape, label), layout};
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kinds of stored arrays that this program knows.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/spec.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace tessera {

/// The functions that find arrays of one kind again.
struct array_kind {
  /// Opens the array of a recipe. Throws: value_error <- it has changed since; as opening does.
  std::function<std::shared_ptr<const array_source>(const array_recipe&)> open;
  /// Returns the destination of a recipe. Throws: value_error, zarr_error <- it is none.
  std::function<std::shared_ptr<const array_destination>(const array_recipe&)> destination;
  /// Returns a destination for intermediate array number `number` of a plan; null if the kind
  /// cannot store intermediates.
  std::function<std::shared_ptr<const array_destination>(
      std::size_t number, const element_type& type, const index_vector& shape,
      const index_vector& chunks, const spec& limits)>
      intermediate = nullptr;
};

/// Makes `kind` known as `name`, and returns true: `const bool is_known =
/// register_array_kind(...);` at namespace scope. Registering a name again replaces it.
bool register_array_kind(const std::string& name, array_kind kind);

/// Opens the array that `recipe` describes.
///
/// Throws: value_error <- no such kind is known; the errors of the kind.
[[nodiscard]] std::shared_ptr<const array_source> open_array(const array_recipe& recipe);

/// Returns the destination that `recipe` describes. Throws: as `open_array`.
[[nodiscard]] std::shared_ptr<const array_destination> make_destination(const array_recipe& recipe);

/// Returns the destination of an array between operations, in a run that is still to come.
///
/// Throws: value_error <- no kind that is of use for that is known.
[[nodiscard]] std::shared_ptr<const array_destination> make_intermediate(std::size_t number,
                                                                         const element_type& type,
                                                                         const index_vector& shape,
                                                                         const index_vector& chunks,
                                                                         const spec& limits);

}  // namespace tessera

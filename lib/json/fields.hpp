// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The values of plan files in untrusted JSON: index maps, types, parameters of kernels, bytes.
/// They throw as `json/values.hpp` says.

#include "tessera/core/dtype.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/kernel/kernel.hpp"

#include "core/api/gather.hpp"
#include "json/values.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fields {

/// Returns the rank and the affine axes of a map as JSON. The gather of the map is left out.
[[nodiscard]] json of(const index_map& map);
/// Returns the map that `of` wrote.
[[nodiscard]] index_map affine_map(const json& value);

/// Returns a map with its gather as JSON; `table` writes the table of a factor, null if it has
/// none.
[[nodiscard]] json of_gathered(const index_map& map,
                               const std::function<json(const index_table*)>& table);
/// Returns the map that `of_gathered` wrote; `table` reads the table of a factor.
[[nodiscard]] index_map gathered_map(
    const json& value, const std::function<std::shared_ptr<const index_table>(const json&)>& table);

[[nodiscard]] json of(dtype type);
[[nodiscard]] dtype type(const json& value);
[[nodiscard]] json of(const element_type& type);
[[nodiscard]] element_type any_type(const json& value);
[[nodiscard]] json of(const std::vector<dtype>& types);
[[nodiscard]] std::vector<dtype> types(const json& value);

/// Returns the parameters of the kernel `name`, made by its `restore` from their identity.
[[nodiscard]] kernel_parameters parameters(const json& value, std::string_view name,
                                           restore_function restore);

/// Returns bytes as base64.
[[nodiscard]] json of_bytes(std::string_view bytes);
/// Returns the bytes of base64.
[[nodiscard]] std::string bytes(const json& value);

}  // namespace tessera::fields

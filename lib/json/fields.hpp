// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Values in JSON that nobody vouches for. What is missing or of another type throws
/// nlohmann::json::exception, what is out of range value_error.

#include "tessera/core/dtype.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/kernel/kernel.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fields {

using nlohmann::json;

[[nodiscard]] index_t integer(const json& value);
/// Returns an integer from `low` to `high`.
[[nodiscard]] index_t integer_in(const json& value, index_t low, index_t high);
/// Returns an integer that is not negative.
[[nodiscard]] std::size_t count(const json& value);
/// Returns an integer below `limit`.
[[nodiscard]] std::size_t number_below(const json& value, std::size_t limit);
[[nodiscard]] const std::string& text(const json& value);
[[nodiscard]] bool flag(const json& value);

[[nodiscard]] json of(const index_vector& values);
[[nodiscard]] index_vector indices(const json& value);
[[nodiscard]] std::vector<std::size_t> counts(const json& value);

/// Returns a map but for what is behind it, and back.
[[nodiscard]] json of(const index_map& map);
[[nodiscard]] index_map affine_map(const json& value);

[[nodiscard]] json of(dtype type);
[[nodiscard]] dtype type(const json& value);
[[nodiscard]] json of(const element_type& type);
[[nodiscard]] element_type any_type(const json& value);
[[nodiscard]] json of(const std::vector<dtype>& types);
[[nodiscard]] std::vector<dtype> types(const json& value);

/// Returns the parameters of the kernel `name`, made by its `restore` from their identity.
[[nodiscard]] kernel_parameters parameters(const json& value, std::string_view name,
                                           restore_function restore);

/// Returns bytes as base64 and back.
[[nodiscard]] json of_bytes(std::string_view bytes);
[[nodiscard]] std::string bytes(const json& value);

}  // namespace tessera::fields

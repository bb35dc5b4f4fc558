// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores computed arrays.

#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/ndarray.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

/// Stores a computed array, as `store` of a lazy one does.
template <element T, std::size_t N>
array<T, N> store(const ndarray<T, N>& x, const std::string& path,
                  const store_options& options = {}, const run_with& settings = {}) {
  return store(from_memory(x.data(), x.shape()), path, options, settings);
}
template <element T, std::size_t N>
array<T, N> store(const ndarray<T, N>& x, std::shared_ptr<key_value_store> store,
                  std::string_view path, const store_options& options = {},
                  const run_with& settings = {}) {
  return tessera::store(from_memory(x.data(), x.shape()), std::move(store), path, options,
                        settings);
}

}  // namespace tessera

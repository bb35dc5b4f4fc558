// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores several arrays together.

#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/task/run_with.hpp"

#include <string>
#include <vector>

namespace tessera {

/// One array of several that are stored together: `{x, path}` or `{x, path, options}`.
class store_target {
 public:
  template <array_expression X>
  store_target(const X& x, const std::string& path, const store_options& options = {})
      : store_target(stored(x, path, options)) {}
  template <array_expression X>
  store_target(const stored_expression<X>& x) : layout_(x.layout()), output_(x.output()) {}

  [[nodiscard]] const array_layout& layout() const { return layout_; }
  [[nodiscard]] const plan_output& output() const { return output_; }

 private:
  array_layout layout_;
  plan_output output_;
};

/// Computes several arrays together and stores each: `store({x, "x.zarr"}, {y, "y.zarr"})`.
///
/// What they have in common is computed and read once. A `run_with` behind them says how.
/// Throws: as `store` of one array; value_error <- specs differ.
void store(const std::vector<store_target>& targets, const run_with& how = {});
inline void store(const store_target& a, const store_target& b, const run_with& how = {}) {
  store(std::vector{a, b}, how);
}
inline void store(const store_target& a, const store_target& b, const store_target& c,
                  const run_with& how = {}) {
  store(std::vector{a, b, c}, how);
}
inline void store(const store_target& a, const store_target& b, const store_target& c,
                  const store_target& d, const run_with& how = {}) {
  store(std::vector{a, b, c, d}, how);
}

}  // namespace tessera

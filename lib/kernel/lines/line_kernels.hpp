// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels of lines for each type of elements that have an order.

#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/meta/promotion.hpp"

#include <array>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The functions of a kernel that do not depend on the element type.
struct line_rules {
  bool (*takes)(const block_shapes&) = nullptr;
  restore_function restore = nullptr;
  double (*work)(const block_shapes&) = nullptr;
};

/// Returns the kernel of `Lines<T>`. `Lines<T>` has a `label`, a type `result`, `run` and
/// `workspace`.
template <template <class> class Lines, const line_rules& Rules, class T>
const block_kernel& line_kernel_of() {
  using lines = Lines<T>;
  static const std::string name =
      std::string(lines::label) + "<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = lines::label,
                                   .inputs = {dtype_of<T>},
                                   .outputs = {dtype_of<typename lines::result>},
                                   .run = &lines::run,
                                   .takes = Rules.takes,
                                   .workspace = &lines::workspace,
                                   .work = Rules.work,
                                   .restore = Rules.restore,
                                   .is_separable = true};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

/// The types whose elements have an order.
inline constexpr std::array ordered_dtypes{
    dtype::boolean, dtype::int8,   dtype::int16,  dtype::int32,   dtype::int64,   dtype::uint8,
    dtype::uint16,  dtype::uint32, dtype::uint64, dtype::float16, dtype::float32, dtype::float64};

/// Returns the kernel of `function` for elements of type `type`: `kernel_of(type_tag<T>)`.
template <class KernelOf>
const block_kernel& ordered_kernel(std::string_view function, dtype type, KernelOf kernel_of) {
  return visit_dtype(type, [&]<class T>(type_tag<T> tag) -> const block_kernel& {
    if constexpr (complex_element<T>) {
      throw value_error(std::string(function) + ": complex numbers have no order");
    } else {
      return kernel_of(tag);
    }
  });
}

/// Returns the kernel for elements of type `type`.
template <template <class> class Lines, const line_rules& Rules>
const block_kernel& line_kernel(dtype type) {
  return ordered_kernel(Lines<double>::label, type,
                        []<class T>(type_tag<T>) -> const block_kernel& {
                          return line_kernel_of<Lines, Rules, T>();
                        });
}

/// Registers the kernels for all types.
template <template <class> class Lines, const line_rules& Rules>
void register_line_kernels() {
  for (const dtype type : ordered_dtypes) static_cast<void>(line_kernel<Lines, Rules>(type));
}

}  // namespace tessera::detail

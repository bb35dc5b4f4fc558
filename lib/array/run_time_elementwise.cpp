// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/run_time_elementwise.hpp"

#include "tessera/core/error.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/function/selection.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/lower/nodes.hpp"

#include "array/elementwise_table.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <span>

namespace tessera {
namespace {

/// Returns the promoted dtype of a pair.
dtype promoted(dtype a, dtype b) {
  return visit_dtype(a, [b]<class A>(type_tag<A>) {
    return visit_dtype(b, []<class B>(type_tag<B>) { return dtype_of<promote_t<A, B>>; });
  });
}

/// Returns the dtype of a number beside arrays of dtype `common`. It keeps its own dtype without
/// arrays, and in a comparison with integers that cannot equal it.
dtype dtype_of_number(op::dtype_rule rule, const any_number& number, std::optional<dtype> common) {
  return std::visit(
      [&]<class S>(const S& value) {
        if constexpr (std::same_as<S, std::nullptr_t>) {
          return dtype::boolean;  // no operand is null
        } else {
          if (!common) return dtype_of<detail::default_t<S>>;
          return visit_dtype(*common, [&]<class T>(type_tag<T>) {
            if constexpr (integer_element<T> && integer_element<S>) {
              if (detail::is_comparison(rule) && !std::in_range<T>(value)) return dtype_of<S>;
            }
            return dtype_of<weak_t<S, T>>;
          });
        }
      },
      number);
}

/// Returns `number` as an array of rank 0.
any_array constant(const detail::elementwise_entry& function, const any_number& number,
                   dtype type) {
  const auto make = [&]<class T>(type_tag<T>, auto value) {
    const scalar<T> fitted = detail::is_comparison(function.rule)
                                 ? detail::rounded<T>(value)
                                 : detail::fit<T>(function.name, value);
    return make_generated(function.name, {}, {}, generator::constant<T>(),
                          generator::constant_parameters<T>(fitted.value));
  };
  const array_handle array = visit_dtype(type, [&]<class T>(type_tag<T> tag) {
    return std::visit(
        [&]<class S>(const S& value) -> array_handle {
          if constexpr (std::same_as<S, std::nullptr_t> ||
                        (complex_element<S> && !complex_element<T>)) {
            return nullptr;  // never the dtype of such a number
          } else {
            return make(tag, value);
          }
        },
        number);
  });
  return {whole_of(array), array_layout{}};
}

/// Returns a bound of `clip` for elements of dtype `common`, as for typed arrays.
any_number clip_bound(const any_number& number, bool is_low, dtype common) {
  return visit_dtype(common, [&]<class T>(type_tag<T>) {
    return std::visit(
        [is_low](const auto& value) -> any_number {
          if constexpr (weak_scalar<std::decay_t<decltype(value)>>) {
            return is_low ? detail::clip_bound<T, true>(value)
                          : detail::clip_bound<T, false>(value);
          } else {
            return value;
          }
        },
        number);
  });
}

/// An operand, and the dtype that it has before any conversion.
struct typed_operand {
  any_array array;
  dtype type;
};

/// Returns the operands as arrays; numbers get their dtype beside the arrays.
std::vector<typed_operand> typed(const detail::elementwise_entry& function,
                                 const std::vector<any_operand>& xs) {
  const bool is_choice = function.rule == op::dtype_rule::choice;
  std::optional<dtype> common;
  bool has_array = false;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (xs[i].array() == nullptr) continue;
    has_array = true;
    if (is_choice && i == 0) continue;
    const dtype type = xs[i].array()->dtype();
    common = common ? promoted(*common, type) : type;
  }
  if (!has_array) {
    throw value_error(
        fmt::format("{}: none of its operands is an array; one has to be", function.name));
  }
  const bool is_clip = function.name == op::clip::name;
  std::vector<typed_operand> operands;
  for (const any_operand& x : xs) {
    if (x.array() != nullptr) {
      operands.push_back({*x.array(), x.array()->dtype()});
    } else {
      const any_number number =
          is_clip && common ? clip_bound(x.number(), operands.size() == 1, *common) : x.number();
      const dtype type = dtype_of_number(function.rule, number, common);
      operands.push_back({constant(function, number, type), type});
    }
  }
  return operands;
}

[[noreturn]] void throw_not_taken(const detail::elementwise_entry& function,
                                  std::span<const typed_operand> operands) {
  std::vector<std::string_view> given;
  for (const typed_operand& operand : operands) given.push_back(name_of(operand.type));
  std::vector<std::string_view> accepted;
  for (std::size_t i = 0; i < detail::num_dtypes; ++i) {
    if (function.cases[i].is_accepted) accepted.push_back(name_of(static_cast<dtype>(i)));
  }
  throw dtype_error(fmt::format(
      "{}: does not take elements of {}; it takes {}{}", function.name, fmt::join(given, ", "),
      fmt::join(accepted, ", "),
      function.rule == op::dtype_rule::choice ? " behind a condition, which is bool" : ""));
}

/// Returns the case of a function for the dtypes of its operands.
const detail::elementwise_case& case_of(const detail::elementwise_entry& function,
                                        std::span<const typed_operand> operands) {
  const bool is_choice = function.rule == op::dtype_rule::choice;
  const auto values = operands.subspan(is_choice ? 1 : 0);
  dtype common = values.front().type;
  for (const typed_operand& operand : values) common = promoted(common, operand.type);
  const detail::elementwise_case& entry = function.of(common);
  const auto is_bool = [](const typed_operand& operand) { return operand.type == dtype::boolean; };
  const bool mixes_bools =
      function.rule == op::dtype_rule::shift && std::any_of(values.begin(), values.end(), is_bool);
  if (!entry.is_accepted || mixes_bools || (is_choice && !is_bool(operands.front()))) {
    throw_not_taken(function, operands);
  }
  return entry;
}

/// Returns the kernel that compares int64 with uint64 exactly, or nullptr for any different dtypes.
const strip_kernel* mixed_kernel(const detail::elementwise_entry& function,
                                 std::span<const typed_operand> operands) {
  if (operands.size() != 2) return nullptr;
  const dtype a = operands[0].type;
  const dtype b = operands[1].type;
  if (a == dtype::int64 && b == dtype::uint64) return function.signed_first.kernel;
  if (a == dtype::uint64 && b == dtype::int64) return function.unsigned_first.kernel;
  return nullptr;
}

}  // namespace

dtype result_type(const std::vector<dtype>& types) {
  if (types.empty()) throw value_error("result_type: needs at least one dtype");
  dtype common = types.front();
  for (const dtype type : types) common = promoted(common, type);
  return common;
}

any_array elementwise(std::string_view name, const std::vector<any_operand>& xs) {
  const detail::elementwise_entry& function = detail::elementwise_named(name);
  if (xs.size() != function.arity) {
    throw value_error(fmt::format("{}: takes {} operand{}, and {} {} given", function.name,
                                  function.arity, function.arity == 1 ? "" : "s", xs.size(),
                                  xs.size() == 1 ? "is" : "are"));
  }
  const std::vector<typed_operand> operands = typed(function, xs);
  const detail::elementwise_case& entry = case_of(function, operands);
  // A function without a kernel for float16 computes in float32, and rounds once.
  const bool has_kernel = function.of(entry.operands).kernel != nullptr;
  const dtype worked = has_kernel ? entry.operands : dtype::float32;
  strip_source source;
  const strip_kernel* const mixed = mixed_kernel(function, operands);
  source.kernel = mixed != nullptr ? mixed : function.of(worked).kernel;
  std::vector<detail::shown_array> shown;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_condition = function.rule == op::dtype_rule::choice && i == 0;
    const bool stays = is_condition || mixed != nullptr;
    shown.push_back(astype(operands[i].array, stays ? operands[i].type : worked).shown());
  }
  std::vector<const array_layout*> layouts;
  for (const detail::shown_array& shown_operand : shown) layouts.push_back(&shown_operand.layout);
  array_layout layout = broadcast_layout(function.name, layouts);
  for (const detail::shown_array& shown_operand : shown) {
    source.add_operand(shown_operand.view, broadcast_map(shown_operand.layout.shape, layout.shape));
  }
  any_array result(whole_of(make_map(function.name, layout.shape, layout.chunks, source)), layout);
  return astype(result, entry.result);
}

any_array astype(const any_array& x, dtype to) {
  if (x.dtype() == to) return x;
  const strip_kernel* const kernel = detail::conversion_kernel(x.dtype(), to);
  if (kernel == nullptr) {
    throw dtype_error(fmt::format(
        "astype: {} elements do not become {}; \"real\" and \"imag\" are the parts of complex ones",
        name_of(x.dtype()), name_of(to)));
  }
  const detail::shown_array shown = x.shown();
  const index_vector& shape = shown.layout.shape;
  strip_source source;
  source.kernel = kernel;
  source.add_operand(shown.view, index_map::identity(shape.size()));
  return {whole_of(make_map("astype", shape, shown.layout.chunks, source)), shown.layout};
}

}  // namespace tessera

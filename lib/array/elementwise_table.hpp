// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elementwise functions by name, for arrays with dtypes that are known at run time only.
///
/// The table has a row for each function and a column for each dtype; each cell is a kernel that is
/// compiled once in this library. NumPy's promotion chooses the column.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/detail/evaluate.hpp"
#include "tessera/kernel/detail/tree_text.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/meta/dtype_rule.hpp"
#include "tessera/meta/promotion.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::detail {

/// All element types, in the order of their dtypes.
template <template <class...> class List>
using of_elements =
    List<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
         std::uint32_t, std::uint64_t, float16, float, double, complex64, complex128>;
inline constexpr std::size_t num_dtypes = 14;

/// A function that computes a strip.
using run_function = void (*)(const strip&);

/// A function for operands that promote to one dtype.
struct elementwise_case {
  bool is_accepted = false;
  dtype operands{};  ///< the dtype of all operands, but for the condition of a choice
  dtype result{};
  /// Null if there is no kernel of the dtype. Most float16 has none: it is computed in float32 and
  /// rounded once, as by NumPy.
  run_function run = nullptr;
  const strip_kernel* kernel = nullptr;
};

/// A comparison of int64 with uint64, in this order or the other one.
struct mixed_comparison {
  run_function run = nullptr;
  const strip_kernel* kernel = nullptr;
};

/// A function and its case for each dtype.
struct elementwise_entry {
  std::string_view name;
  std::string label;
  std::size_t arity = 0;
  op::dtype_rule rule{};
  std::array<elementwise_case, num_dtypes> cases;
  mixed_comparison signed_first;
  mixed_comparison unsigned_first;

  [[nodiscard]] const elementwise_case& of(dtype promoted) const {
    return cases[static_cast<std::size_t>(promoted)];
  }
};

/// `Op` as this library compiles it, for its own target. Programs that are compiled for another
/// target have functions of other names.
template <class Op>
struct library_op : Op {};

template <class T>
const T* strip_of(const std::byte* bytes) {
  return static_cast<const T*>(static_cast<const void*>(bytes));
}

/// The type of operand `I` of `Op` in dtype `T`: the first operand of a choice is its condition.
template <class Op, class T, std::size_t I>
using worked_t = std::conditional_t<Op::rule == op::dtype_rule::choice && I == 0, bool, T>;

/// Computes one strip of `Op` as the typed kernel does: in packets if these give equal values.
template <class Op, class T, std::size_t... I>
void run_op(const strip& s) {
  using tree = tree_node<library_op<Op>, tree_operand<worked_t<Op, T, I>, I>...>;
  if constexpr (has_packets<tree>) {
    static constexpr tree stateless{};
    strip with_tree = s;
    with_tree.parameters = &stateless;
    run_tree<tree>(with_tree);
  } else {
    auto* const out = static_cast<typename tree::value_type*>(static_cast<void*>(s.outputs[0]));
    const index_t size = s.size;
    [&](const worked_t<Op, T, I>*... in) {
      for (index_t i = 0; i < size; ++i) out[i] = value_of(Op{}, in[i]...);
    }(strip_of<worked_t<Op, T, I>>(s.inputs[I])...);
  }
}

template <class Op, class T, std::size_t... I>
constexpr elementwise_case case_of(std::index_sequence<I...>) {
  if constexpr (op::accepts<Op, worked_t<Op, T, I>...>()) {
    using operand = op::operand_t<Op, Op::arity - 1, worked_t<Op, T, I>...>;
    elementwise_case entry{true, dtype_of<operand>,
                           dtype_of<op::result_t<Op, worked_t<Op, T, I>...>>};
    constexpr bool says = requires { Op::value(worked_t<Op, T, I>{}...); };
    if constexpr (std::same_as<operand, T> && (!std::same_as<T, float16> || says)) {
      entry.run = &run_op<Op, T, I...>;
    }
    return entry;
  } else {
    return {};
  }
}

template <class Op, class A, class B>
void compare_mixed(const strip& s) {
  auto* const out = static_cast<bool*>(static_cast<void*>(s.outputs[0]));
  const A* const a = strip_of<A>(s.inputs[0]);
  const B* const b = strip_of<B>(s.inputs[1]);
  const index_t size = s.size;
  for (index_t i = 0; i < size; ++i) out[i] = Op::value(a[i], b[i]);
}
template <class Op, class A, class B>
constexpr mixed_comparison mixed_case() {
  if constexpr (is_comparison(Op::rule) && Op::arity == 2) {
    return {&compare_mixed<Op, A, B>};
  } else {
    return {};
  }
}

template <class Op>
struct entry_of {
  template <class... Ts>
  struct cases {
    static constexpr std::array<elementwise_case, num_dtypes> by_dtype{
        case_of<Op, Ts>(std::make_index_sequence<Op::arity>{})...};
  };
};

/// Returns the entries of the functions that are the tags of a family.
template <template <class...> class List, class... Ops>
std::vector<elementwise_entry> entries_of(const List<Ops...>* /*family*/) {
  std::vector<elementwise_entry> entries;
  const auto add = [&]<class Op>(type_tag<Op>) {
    if constexpr (Op::rule != op::dtype_rule::custom) {
      entries.push_back({Op::name, label_of<Op>(), Op::arity, Op::rule,
                         of_elements<entry_of<Op>::template cases>::by_dtype,
                         mixed_case<Op, std::int64_t, std::uint64_t>(),
                         mixed_case<Op, std::uint64_t, std::int64_t>()});
    }
  };
  (add(type_tag<Ops>{}), ...);
  return entries;
}
template <class... Families>
std::vector<elementwise_entry> entries_of_families() {
  std::vector<elementwise_entry> entries;
  const auto add = [&](std::vector<elementwise_entry> family) {
    entries.insert(entries.end(), family.begin(), family.end());
  };
  (add(entries_of(static_cast<const Families*>(nullptr))), ...);
  return entries;
}

/// Return the functions of some families each, in the sources that compile them.
[[nodiscard]] std::vector<elementwise_entry> arithmetic_entries();
[[nodiscard]] std::vector<elementwise_entry> floating_entries();
[[nodiscard]] std::vector<elementwise_entry> ordering_entries();

/// Returns the function of a name. Throws: value_error <- no such function; it names a near one.
[[nodiscard]] const elementwise_entry& elementwise_named(std::string_view name);

/// Makes a kernel without parameters, and registers its name.
[[nodiscard]] const strip_kernel& make_strip_kernel(std::string name, std::string label,
                                                    std::vector<dtype> inputs, dtype output,
                                                    run_function run);

/// Returns the kernel that converts elements, or nullptr for complex to real numbers.
[[nodiscard]] const strip_kernel* conversion_kernel(dtype from, dtype to);

}  // namespace tessera::detail

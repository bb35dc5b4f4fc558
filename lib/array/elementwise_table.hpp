// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elementwise functions by name, each compiled once for every element type that it works in:
/// what arrays are computed by whose dtypes are known at run time alone.

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

/// What computes a strip.
using run_function = void (*)(const strip&);

/// What a function makes of operands that promote to one dtype.
struct elementwise_case {
  bool is_accepted = false;
  dtype operands{};  ///< what they are converted to, but for the condition of a choice
  dtype result{};
  /// Null where the dtype is not worked in: also most float16, which is computed in float32 and
  /// rounded once, as NumPy does.
  run_function run = nullptr;
  const strip_kernel* kernel = nullptr;
};

/// A comparison of int64 with uint64, in this order or the other one.
struct mixed_comparison {
  run_function run = nullptr;
  const strip_kernel* kernel = nullptr;
};

/// A function and what it makes of each dtype.
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

/// `Op` as this library compiles it, for whatever machine; programs that are compiled for their own
/// have functions of other names.
template <class Op>
struct library_op : Op {};

template <class T>
const T* strip_of(const std::byte* bytes) {
  return static_cast<const T*>(static_cast<const void*>(bytes));
}

/// The operand `I` of `Op` where it works in `T`: the first of a choice is its condition.
template <class Op, class T, std::size_t I>
using worked_t = std::conditional_t<Op::rule == op::dtype_rule::choice && I == 0, bool, T>;

/// Computes one strip of `Op` as the typed kernel does: in packets where these give its values.
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
    elementwise_case found{true, dtype_of<operand>,
                           dtype_of<op::result_t<Op, worked_t<Op, T, I>...>>};
    constexpr bool says = requires { Op::value(worked_t<Op, T, I>{}...); };
    if constexpr (std::same_as<operand, T> && (!std::same_as<T, float16> || says)) {
      found.run = &run_op<Op, T, I...>;
    }
    return found;
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
    static constexpr std::array<elementwise_case, num_dtypes> all{
        case_of<Op, Ts>(std::make_index_sequence<Op::arity>{})...};
  };
};

/// Returns the entries of the functions that are the tags of a family.
template <template <class...> class List, class... Ops>
std::vector<elementwise_entry> entries_of(const List<Ops...>* /*family*/) {
  std::vector<elementwise_entry> entries;
  const auto add = [&]<class Op>(type_tag<Op>) {
    if constexpr (Op::rule != op::dtype_rule::own) {
      entries.push_back({Op::name, label_of<Op>(), Op::arity, Op::rule,
                         of_elements<entry_of<Op>::template cases>::all,
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
  const auto add = [&](std::vector<elementwise_entry> more) {
    entries.insert(entries.end(), more.begin(), more.end());
  };
  (add(entries_of(static_cast<const Families*>(nullptr))), ...);
  return entries;
}

/// Return the functions of some families each, in the sources that compile them.
[[nodiscard]] std::vector<elementwise_entry> arithmetic_entries();
[[nodiscard]] std::vector<elementwise_entry> floating_entries();
[[nodiscard]] std::vector<elementwise_entry> ordering_entries();

/// Returns the function of a name. Throws: value_error <- there is none; it says which is near.
[[nodiscard]] const elementwise_entry& elementwise_named(std::string_view name);

/// Makes a kernel of this library that has no parameters, known by its name from then on.
[[nodiscard]] const strip_kernel& make_strip_kernel(std::string name, std::string label,
                                                    std::vector<dtype> inputs, dtype output,
                                                    run_function run);

/// Returns the kernel that converts elements, null where there is none: complex to real numbers.
[[nodiscard]] const strip_kernel* conversion_kernel(dtype from, dtype to);

}  // namespace tessera::detail

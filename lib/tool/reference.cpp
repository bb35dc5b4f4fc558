// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the functions of the families as a Markdown table: the call, and the dtypes of operands
/// and result.
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"

#include <array>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace tessera;

/// An operand's dtype that a function accepts, and the dtype of the result.
struct dtype_pair {
  dtype operand;
  dtype result;
};

/// The dtypes of a kind, which mostly behave alike.
struct kind {
  std::string_view name;
  std::size_t size;  // the number of dtypes, in the order of `dtype`
};
constexpr std::array kinds{kind{"bool", 1}, kind{"int*", 4}, kind{"uint*", 4}, kind{"float*", 3},
                           kind{"complex*", 2}};

using element_types =
    boost::hana::tuple<type_tag<bool>, type_tag<std::int8_t>, type_tag<std::int16_t>,
                       type_tag<std::int32_t>, type_tag<std::int64_t>, type_tag<std::uint8_t>,
                       type_tag<std::uint16_t>, type_tag<std::uint32_t>, type_tag<std::uint64_t>,
                       type_tag<float16>, type_tag<float>, type_tag<double>, type_tag<complex64>,
                       type_tag<complex128>>;

/// Returns the dtype of `Op` for operands of dtypes `Ts`, or nullopt if it refuses them.
template <class Op, class... Ts>
std::optional<dtype> result_dtype() {
  if constexpr (op::accepts<Op, Ts...>()) {
    return dtype_of<op::result_t<Op, Ts...>>;
  } else {
    return std::nullopt;
  }
}

template <class Op, class T>
std::optional<dtype> result_of_dtype() {
  if constexpr (Op::arity == 1) {
    return result_dtype<Op, T>();
  } else if constexpr (Op::arity == 2) {
    return result_dtype<Op, T, T>();
  } else if constexpr (Op::rule == op::dtype_rule::choice) {
    return result_dtype<Op, bool, T, T>();
  } else {
    return result_dtype<Op, T, T, T>();
  }
}

template <class Fold, class T>
std::optional<dtype> folded_of_dtype() {
  if constexpr (fold_takes<Fold, T>) {
    return dtype_of<typename Fold::template result<T>>;
  } else {
    return std::nullopt;
  }
}

/// Returns the dtypes of a function for operands of a kind: "int* -> float64", "float*", or "".
std::string text_of(const kind& of, const std::vector<std::optional<dtype_pair>>& pairs,
                    std::size_t first) {
  std::vector<dtype_pair> accepted;
  for (std::size_t i = first; i < first + of.size; ++i) {
    if (pairs[i]) accepted.push_back(*pairs[i]);
  }
  if (accepted.empty()) return "";
  bool are_kept = accepted.size() == of.size;
  bool are_one = are_kept;
  for (const dtype_pair& pair : accepted) {
    are_kept = are_kept && pair.result == pair.operand;
    are_one = are_one && pair.result == accepted.front().result;
  }
  if (are_kept) return std::string(of.name);
  if (are_one) return fmt::format("{} -> {}", of.name, name_of(accepted.front().result));
  std::string text;
  for (const dtype_pair& pair : accepted) {
    fmt::format_to(std::back_inserter(text), "{}{} -> {}", text.empty() ? "" : ", ",
                   name_of(pair.operand), name_of(pair.result));
  }
  return text;
}

void print_line(const std::string& call, const std::vector<std::optional<dtype_pair>>& pairs) {
  std::string text;
  std::size_t first = 0;
  for (const kind& dtypes : kinds) {
    const std::string part = text_of(dtypes, pairs, first);
    first += dtypes.size;
    if (part.empty()) continue;
    text += (text.empty() ? "" : ", ") + part;
  }
  fmt::print("| `{}` | {} |\n", call, text);
}

template <class Result>
std::vector<std::optional<dtype_pair>> taken_dtypes(Result result_of) {
  std::vector<std::optional<dtype_pair>> pairs;
  boost::hana::for_each(element_types{}, [&]<class T>(type_tag<T> tag) {
    const std::optional<dtype> result = result_of(tag);
    pairs.push_back(result ? std::optional(dtype_pair{dtype_of<T>, *result}) : std::nullopt);
  });
  return pairs;
}

}  // namespace

int main() {
  constexpr std::array<std::string_view, 3> operands{"x", "a, b", "x, a, b"};
  fmt::print("| function | dtypes taken -> given |\n| --- | --- |\n");
  boost::hana::for_each(function::elementwise_families{}, [&](auto family) {
    boost::hana::for_each(family, [&]<class Op>(Op) {
      print_line(fmt::format("{}({})", Op::name, operands[Op::arity - 1]),
                 taken_dtypes([]<class T>(type_tag<T>) { return result_of_dtype<Op, T>(); }));
    });
  });
  boost::hana::for_each(function::fold_families{}, [](auto family) {
    boost::hana::for_each(family, []<class Fold>(Fold) {
      print_line(fmt::format("{}(x, axis<...>, keepdims)", Fold::name),
                 taken_dtypes([]<class T>(type_tag<T>) { return folded_of_dtype<Fold, T>(); }));
    });
  });
}

// SPDX-License-Identifier: Apache-2.0
// Prints the functions that the families list: how they are called, and which dtypes they take and
// give. A line of the table for each, so that it can be put into a page.
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

/// A dtype that a function takes, and what it gives for it.
struct taken {
  dtype operand;
  dtype result;
};

/// The dtypes of a kind, which mostly behave alike.
struct kind {
  std::string_view name;
  std::size_t size;  // how many dtypes, in the order of `dtype`
};
constexpr std::array kinds{kind{"bool", 1}, kind{"int*", 4}, kind{"uint*", 4}, kind{"float*", 3},
                           kind{"complex*", 2}};

using element_types =
    boost::hana::tuple<type_tag<bool>, type_tag<std::int8_t>, type_tag<std::int16_t>,
                       type_tag<std::int32_t>, type_tag<std::int64_t>, type_tag<std::uint8_t>,
                       type_tag<std::uint16_t>, type_tag<std::uint32_t>, type_tag<std::uint64_t>,
                       type_tag<float16>, type_tag<float>, type_tag<double>, type_tag<complex64>,
                       type_tag<complex128>>;

/// Returns what `Op` gives for operands of dtype `Ts`, nothing where it refuses them.
template <class Op, class... Ts>
std::optional<dtype> given() {
  if constexpr (op::accepts<Op, Ts...>()) {
    return dtype_of<op::result_t<Op, Ts...>>;
  } else {
    return std::nullopt;
  }
}

template <class Op, class T>
std::optional<dtype> given_of_dtype() {
  if constexpr (Op::arity == 1) {
    return given<Op, T>();
  } else if constexpr (Op::arity == 2) {
    return given<Op, T, T>();
  } else if constexpr (Op::rule == op::dtype_rule::choice) {
    return given<Op, bool, T, T>();
  } else {
    return given<Op, T, T, T>();
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

/// Returns what a function takes and gives of one kind: "int* -> float64", "float*", or "".
std::string text_of(const kind& of, const std::vector<std::optional<taken>>& all,
                    std::size_t first) {
  std::vector<taken> some;
  for (std::size_t i = first; i < first + of.size; ++i) {
    if (all[i]) some.push_back(*all[i]);
  }
  if (some.empty()) return "";
  bool are_kept = some.size() == of.size;
  bool are_one = are_kept;
  for (const taken& each : some) {
    are_kept = are_kept && each.result == each.operand;
    are_one = are_one && each.result == some.front().result;
  }
  if (are_kept) return std::string(of.name);
  if (are_one) return fmt::format("{} -> {}", of.name, name_of(some.front().result));
  std::string text;
  for (const taken& each : some) {
    fmt::format_to(std::back_inserter(text), "{}{} -> {}", text.empty() ? "" : ", ",
                   name_of(each.operand), name_of(each.result));
  }
  return text;
}

void print_line(const std::string& call, const std::vector<std::optional<taken>>& all) {
  std::string text;
  std::size_t first = 0;
  for (const kind& each : kinds) {
    const std::string part = text_of(each, all, first);
    first += each.size;
    if (part.empty()) continue;
    text += (text.empty() ? "" : ", ") + part;
  }
  fmt::print("| `{}` | {} |\n", call, text);
}

template <class Result>
std::vector<std::optional<taken>> taken_dtypes(Result result_of) {
  std::vector<std::optional<taken>> all;
  boost::hana::for_each(element_types{}, [&]<class T>(type_tag<T> tag) {
    const std::optional<dtype> result = result_of(tag);
    all.push_back(result ? std::optional(taken{dtype_of<T>, *result}) : std::nullopt);
  });
  return all;
}

}  // namespace

int main() {
  constexpr std::array<std::string_view, 3> operands{"x", "a, b", "x, a, b"};
  fmt::print("| function | dtypes taken -> given |\n| --- | --- |\n");
  boost::hana::for_each(function::elementwise_families{}, [&](auto family) {
    boost::hana::for_each(family, [&]<class Op>(Op) {
      print_line(fmt::format("{}({})", Op::name, operands[Op::arity - 1]),
                 taken_dtypes([]<class T>(type_tag<T>) { return given_of_dtype<Op, T>(); }));
    });
  });
  boost::hana::for_each(function::fold_families{}, [](auto family) {
    boost::hana::for_each(family, []<class Fold>(Fold) {
      print_line(fmt::format("{}(x, axis<...>, keepdims)", Fold::name),
                 taken_dtypes([]<class T>(type_tag<T>) { return folded_of_dtype<Fold, T>(); }));
    });
  });
}

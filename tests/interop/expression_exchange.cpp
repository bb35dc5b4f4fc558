// SPDX-License-Identifier: Apache-2.0
//
// Computes expressions for a test that is written in another language:
//
//   expression_exchange evaluate <list>  each line "<result> <group> <expression>": the expression
//                                        of arrays of the group is stored as <result>
//
// An expression is in reverse Polish notation, its words separated by blanks: names of arrays of
// float64, and functions behind their operands and before their numbers: "u mean 0", "u v add".
// Lines and errors are as in array_exchange.
#include "tessera/tessera.hpp"

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ts = tessera;
using ts::index_t;

namespace {

template <std::size_t N>
using real_array = ts::array<double, N>;
using value = std::variant<real_array<0>, real_array<1>, real_array<2>, real_array<3>>;

constexpr std::size_t greatest_rank = 3;

/// Calls `f` with the axis `k` of an array of rank `N`, known to the compiler.
template <std::size_t N, std::size_t K = 0, class F>
value at_axis(index_t k, const F& f) {
  if constexpr (K < N) {
    if (k == static_cast<index_t>(K)) return f(ts::axis<static_cast<int>(K)>);
    return at_axis<N, K + 1>(k, f);
  } else {
    throw ts::value_error("expression_exchange: there is no such axis");
  }
}

/// Returns `x` with `index` along axis `k`.
template <std::size_t N, class Index>
auto indexed(const real_array<N>& x, std::size_t k, const Index& index) {
  const auto along = [&]<std::size_t... Before>(std::index_sequence<Before...>) {
    return ts::array(x((static_cast<void>(Before), ts::whole)..., index));
  };
  using result = decltype(along(std::index_sequence<>{}));
  if constexpr (N > 1) {
    if (k == 1) return result(along(std::make_index_sequence<1>{}));
  }
  if constexpr (N > 2) {
    if (k == 2) return result(along(std::make_index_sequence<2>{}));
  }
  return along(std::index_sequence<>{});
}

template <std::size_t... Axes>
auto transposed(const real_array<sizeof...(Axes)>& x, std::index_sequence<Axes...>) {
  return ts::array(ts::permute_dims(x, ts::axis<static_cast<int>(sizeof...(Axes) - 1 - Axes)...>));
}

class evaluator {
 public:
  evaluator(std::string group, const std::string& expression)
      : group_(std::move(group)), words_(expression) {}

  value run() && {
    for (std::string word; words_ >> word;) push(word);
    return pop();
  }

 private:
  void push(const std::string& word) {
    if (word == "add" || word == "subtract" || word == "multiply") {
      const value b = pop();
      return apply([&](const auto& x) {
        return std::visit([&](const auto& y) { return combined(word, x, y); }, b);
      });
    }
    if (word == "stack" || word == "concat") {
      const value b = pop();
      const index_t axis = number();
      return apply([&](const auto& x) { return joined(word, x, b, axis); });
    }
    if (word == "mean" || word == "sum" || word == "max" || word == "centre" || word == "flip") {
      const index_t axis = number();
      return apply([&](const auto& x) { return along(word, x, axis); });
    }
    if (word == "slice") return slice();
    if (word == "pick") return pick();
    if (word == "root") {
      return apply([](const auto& x) { return value(ts::array(ts::sqrt(ts::abs(x) + 1))); });
    }
    if (word == "transpose") return transpose();
    if (word == "rechunk") {
      return apply([](const auto& x) { return value(ts::array(ts::rechunk(x, ts::whole))); });
    }
    open(word);
  }

  void open(const std::string& name) {
    ts::visit<greatest_rank>(
        ts::open_any(group_ + "/" + name),
        [this]<std::size_t N>(const real_array<N>& x) { values_.emplace_back(x); });
  }

  template <std::size_t N, std::size_t M>
  static value combined(const std::string& word, const real_array<N>& x, const real_array<M>& y) {
    if constexpr (M <= N) {
      if (word == "add") return ts::array(x + y);
      if (word == "subtract") return ts::array(x - y);
      return ts::array(x * y);
    } else {
      throw ts::value_error("expression_exchange: the second operand has the greater rank");
    }
  }

  template <std::size_t N>
  static value joined(const std::string& word, const real_array<N>& x, const value& operand,
                      index_t axis) {
    const real_array<N>& y = std::get<real_array<N>>(operand);
    if constexpr (N < greatest_rank) {
      if (word == "stack") {
        return at_axis<N + 1>(axis, [&](auto k) { return value(ts::stack({x, y}, k)); });
      }
    }
    return at_axis<N>(axis, [&](auto k) { return value(ts::concat({x, y}, k)); });
  }

  template <std::size_t N>
  static value along(const std::string& word, const real_array<N>& x, index_t axis) {
    return at_axis<N>(axis, [&](auto k) {
      if (word == "mean") return value(ts::array(ts::mean(x, k)));
      if (word == "sum") return value(ts::array(ts::sum(x, k)));
      if (word == "max") return value(ts::array(ts::max(x, k)));
      if (word == "flip") return value(ts::array(ts::flip(x, k)));
      return value(ts::array(x - ts::mean(x, k, ts::keepdims)));
    });
  }

  void slice() {
    const index_t axis = number();
    const index_t start = number();
    const index_t stop = number();
    const ts::slice part(start, stop, number());
    apply([&]<std::size_t N>(const real_array<N>& x) {
      if constexpr (N == 0)
        return value(x);
      else
        return value(indexed(x, static_cast<std::size_t>(axis), part));
    });
  }

  void pick() {
    const index_t axis = number();
    const index_t index = number();
    apply([&]<std::size_t N>(const real_array<N>& x) {
      if constexpr (N == 0)
        return value(x);
      else
        return value(indexed(x, static_cast<std::size_t>(axis), index));
    });
  }

  void transpose() {
    apply([]<std::size_t N>(const real_array<N>& x) {
      if constexpr (N == 0)
        return value(x);
      else
        return value(transposed(x, std::make_index_sequence<N>{}));
    });
  }

  template <class F>
  void apply(const F& f) {
    values_.push_back(std::visit(f, pop()));
  }

  value pop() {
    value last = values_.back();
    values_.pop_back();
    return last;
  }

  index_t number() {
    index_t result = 0;
    words_ >> result;
    return result;
  }

  std::string group_;
  std::istringstream words_;
  std::vector<value> values_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "evaluate") return 2;
  std::ifstream list(argv[2]);
  int num_failures = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    std::string result;
    std::string group;
    std::string expression;
    std::getline(std::getline(std::getline(fields, result, '\t'), group, '\t'), expression);
    try {
      std::visit([&](const auto& x) { ts::store(x, result); }, evaluator(group, expression).run());
    } catch (const std::exception& failure) {
      std::cout << result << ": " << failure.what() << '\n';
      ++num_failures;
    }
  }
  return num_failures == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/statistical.hpp"

#include "unit/function/print_values.hpp"
#include "unit/kernel/run_fold.hpp"

namespace tessera::testing {
namespace {

/// Prints the fold by `Op` of all of `values`, in two parts that are merged.
template <class Op, class T>
void print_fold(const std::vector<T>& values) {
  using result = typename Op::template result<T>;
  buffer<T> x(values);
  buffer<result> folded(std::vector<result>{fold_all<result>(Op::template kernel<T>(), values)});
  print_line<T, result>(Op::name, x, folded);
}

template <class T>
std::vector<T> finite_values() {
  std::vector<T> values;
  for (const T& x : edge_values<T>()) {
    if (op::isfinite::value(x) && op::isfinite::value(tessera::detail::times(x, x))) {
      values.push_back(x);
    }
  }
  return values;
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera;
  using namespace tessera::testing;
  const auto print = []<class Op, class T>(Op, type_tag<T>) {
    if constexpr (fold_takes<Op, T>) {
      print_fold<Op>(finite_values<T>());
      print_fold<Op>(edge_values<T>());
      print_fold<Op>(std::vector<T>{T(1), T(0), T(1)});
      print_fold<Op>(std::vector<T>(70, T(1)));
    }
  };
  boost::hana::for_each(function::fold_families{}, [&](auto family) {
    boost::hana::for_each(family, [&](auto fold) {
      boost::hana::for_each(element_types{}, [&](auto tag) { print(fold, tag); });
    });
  });
}

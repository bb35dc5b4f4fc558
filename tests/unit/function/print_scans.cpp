// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/rolling.hpp"
#include "tessera/function/running.hpp"

#include "unit/array/number_of.hpp"
#include "unit/function/print_values.hpp"

#include <boost/hana/for_each.hpp>

namespace tessera::testing {
namespace {

constexpr index_t window = 3;

/// Tells whether the function of `Op` takes elements of type `T`.
template <class Op, class T>
constexpr bool takes() {
  constexpr std::string_view name = Op::name;
  if (name == "ffill" || name == "bfill") return floating_element<T> || complex_element<T>;
  return name.ends_with("sum") || name.ends_with("prod") || name.ends_with("mean") ||
         !complex_element<T>;
}

/// The states of one line.
struct line_states {
  const scan_kernel& kernel;
  std::vector<std::vector<complex128>> storage;
  std::vector<std::byte*> state_fields;

  line_states(const scan_kernel& scan, const kernel_parameters& parameters) : kernel(scan) {
    const index_t state_length =
        scan.state_length == nullptr ? 1 : scan.state_length(parameters.get());
    for (std::size_t i = 0; i < scan.state_fields.size(); ++i) {
      storage.emplace_back(static_cast<std::size_t>(state_length));
    }
    for (auto& field : storage) {
      state_fields.push_back(static_cast<std::byte*>(static_cast<void*>(field.data())));
    }
    scan.start(state_fields.data(), 1, parameters.get());
  }
};

/// Prints the scan by `Op` of `values`: some strips along the line, the rest across.
template <class Op, class T>
void print_scan(const Op& op, std::vector<T> values) {
  using result = typename Op::template result<T>;
  kernel_parameters parameters;
  index_t skipped = 0;
  if constexpr (requires { op.parameters(); }) {
    parameters = op.parameters();
    skipped = op.length - 1;
  }
  buffer<T> x(values);
  const bool is_reversed = std::string_view(Op::name) == "bfill";
  if (is_reversed) std::reverse(values.begin(), values.end());
  buffer<T> in(values);
  buffer<result> out(values.size());
  const scan_kernel& kernel = Op::template kernel<T>();
  line_states states(kernel, parameters);
  const auto size = static_cast<index_t>(values.size());
  for (index_t first = 0; first < size;) {
    const bool is_along = first % 2 == 0;
    const index_t count = is_along ? std::min<index_t>(5, size - first) : 1;
    const auto at = static_cast<std::size_t>(first);
    (is_along ? kernel.run_along : kernel.run_each)(states.state_fields.data(),
                                                    {.size = count,
                                                     .input = in.bytes() + at * sizeof(T),
                                                     .output = out.bytes() + at * sizeof(result),
                                                     .num_taken = first,
                                                     .value_stride = 1,
                                                     .parameters = parameters.get()});
    if (is_along && kernel.restart != nullptr) kernel.restart(states.state_fields.data(), 1);
    first += count;
  }
  std::vector<result> results = out.values();
  if (is_reversed) std::reverse(results.begin(), results.end());
  buffer<result> given(std::vector<result>(results.begin() + skipped, results.end()));
  print_line<T, result>(Op::name, x, given);
}

/// Few bits, so that products are exact; imaginary parts of the size of the real ones, or 0.
template <class T>
std::vector<T> some_values() {
  std::vector<T> values;
  for (int round = 0; round < 4; ++round) {
    for (const double x : {1.5, 2.0, 0.25, 3.0, 1.0, 0.5, 7.0, 2.0, 1.0, 4.0}) {
      const bool is_negative = round == 2 && std::is_signed_v<real_t<T>>;
      const double turn = static_cast<double>(values.size() % 3) - 1;
      values.push_back(number_of<T>(is_negative ? -x : x, turn * x));
    }
  }
  return values;
}

template <class T>
std::vector<T> special_values() {
  using part = real_t<T>;
  const part inf = std::numeric_limits<part>::infinity();
  const part nan = std::numeric_limits<part>::quiet_NaN();
  std::vector<T> values;
  for (const part x : {nan, part(1), part(2), nan, part(5), inf, part(3), nan, nan, part(4),
                       part(6), part(7), part(8)}) {
    values.push_back(number_of<T>(x, 2));
  }
  if constexpr (complex_element<T>) values[10] = {6, nan};
  return values;
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera;
  using namespace tessera::testing;
  const auto print = []<class Op, class T>(const Op& op, type_tag<T>) {
    if constexpr (takes<Op, T>()) {
      print_scan(op, some_values<T>());
      print_scan(op, std::vector<T>{T(1), T(0), T(1), T(1)});
      if constexpr (floating_element<T> || complex_element<T>) {
        print_scan(op, special_values<T>());
      }
    }
  };
  const auto print_all = [&](const auto& op) {
    boost::hana::for_each(element_types{}, [&](auto tag) { print(op, tag); });
  };
  boost::hana::for_each(function::cumulative_scans{}, print_all);
  boost::hana::for_each(function::running_scans{}, print_all);
  boost::hana::for_each(function::rolling_windows{}, [&](auto op) {
    op.length = window;
    print_all(op);
  });
}

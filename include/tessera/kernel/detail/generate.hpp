// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Virtual arrays whose elements are a formula of their position.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/meta/promotion.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::detail {

template <class T>
struct constant_generator {
  using value_type = T;
  static constexpr std::string_view label = "constant";
  T value;

  T operator()(index_t) const { return value; }
  std::string identity() const { return bytes_of(value); }
  static constant_generator restored(byte_reader& bytes) { return {bytes.take<T>()}; }
};

template <class T>
struct arange_generator {
  using value_type = T;
  static constexpr std::string_view label = "arange";
  T start;
  T step;

  T operator()(index_t i) const {
    if constexpr (floating_element<T>) {
      return static_cast<T>(static_cast<double>(start) +
                            static_cast<double>(i) * static_cast<double>(step));
    } else if constexpr (std::same_as<T, bool>) {
      return i == 0 ? start : step;  // NumPy has aranges of bool up to two elements
    } else {
      return plus(start, times(static_cast<T>(i), step));
    }
  }
  /// Returns how far apart elements are that lie `num_steps` apart: of integers, which wrap,
  /// exactly.
  T distance(index_t num_steps) const requires(std::integral<T> && !std::same_as<T, bool>) {
    return times(static_cast<T>(num_steps), step);
  }
  std::string identity() const { return bytes_of(start) + bytes_of(step); }
  static arange_generator restored(byte_reader& bytes) {
    return {bytes.take<T>(), bytes.take<T>()};
  }
};

template <class T>
struct linspace_generator {
  using value_type = T;
  static constexpr std::string_view label = "linspace";
  double start;
  double step;
  double stop;
  index_t last;  // the index at which `stop` stands; -1 if it is left out

  T operator()(index_t i) const {
    return static_cast<T>(i == last ? stop : start + static_cast<double>(i) * step);
  }
  std::string identity() const {
    return bytes_of(start) + bytes_of(step) + bytes_of(stop) + bytes_of(last);
  }
  static linspace_generator restored(byte_reader& bytes) {
    return {bytes.take<double>(), bytes.take<double>(), bytes.take<double>(),
            bytes.take<index_t>()};
  }
};

template <class T>
linspace_generator<T> make_linspace_generator(T start, T stop, index_t num, bool endpoint) {
  const index_t intervals = std::max<index_t>(num - (endpoint && num > 0 ? 1 : 0), 1);
  const double first = static_cast<double>(start);
  const double end = static_cast<double>(stop);
  return {first, (end - first) / static_cast<double>(intervals), end,
          endpoint && num > 1 ? num - 1 : index_t{-1}};
}

template <class Generator>
void run_generator(std::byte* out, index_t size, index_t first, index_t step,
                   const void* parameters) {
  using value_type = typename Generator::value_type;
  const Generator generator = *static_cast<const Generator*>(parameters);
  auto* const values = static_cast<value_type*>(static_cast<void*>(out));
  if constexpr (requires { generator.distance(step); }) {
    // Sums alone: many processors have no products of 64 bits in vectors.
    value_type value = generator(first);
    const value_type distance = generator.distance(step);
    for (index_t k = 0; k < size; ++k) {
      values[k] = value;
      value = plus(value, distance);
    }
  } else {
    for (index_t k = 0; k < size; ++k) values[k] = generator(first + k * step);
  }
}

template <class Generator>
kernel_parameters generator_parameters(const Generator& generator) {
  return {generator, generator.identity()};
}

template <class Generator>
kernel_parameters restore_generator(std::string_view identity) {
  byte_reader bytes(identity);
  const Generator generator = Generator::restored(bytes);
  bytes.require_end();
  return generator_parameters(generator);
}

/// Returns the kernel object of `Generator`, a function object, and makes it known.
template <class Generator>
const generator_kernel& known_generator() {
  static_cast<void>(&known_at_start<&known_generator<Generator>>::is_known);
  static const dtype type = dtype_of<typename Generator::value_type>;
  static const std::string name =
      std::string(Generator::label) + "<" + std::string(name_of(type)) + ">";
  static const generator_kernel kernel{name, Generator::label, type, &run_generator<Generator>,
                                       &restore_generator<Generator>};
  static const generator_kernel& known = register_kernel(kernel);
  return known;
}

}  // namespace tessera::detail

// SPDX-License-Identifier: Apache-2.0
/// \file
/// The conversions between all dtypes.
#include "tessera/function/conversion.hpp"

#include "array/elementwise_table.hpp"

#include <fmt/format.h>

namespace tessera::detail {
namespace {

template <class T, class X>
void run_conversion(const strip& s) {
  auto* const out = static_cast<T*>(static_cast<void*>(s.outputs[0]));
  const X* const in = strip_of<X>(s.inputs[0]);
  const index_t size = s.size;
  for (index_t i = 0; i < size; ++i) out[i] = op::astype<T>::value(in[i]);
}

template <class T, class X>
constexpr run_function conversion() {
  if constexpr (std::same_as<T, X> || !op::astype<T>::template accepts<X>) {
    return nullptr;
  } else {
    return &run_conversion<T, X>;
  }
}

template <class T>
struct conversions_to {
  template <class... Xs>
  struct from {
    static constexpr std::array<run_function, num_dtypes> by_source{conversion<T, Xs>()...};
  };
};

struct conversions_of {
  dtype to{};
  std::string label;
  std::array<run_function, num_dtypes> from;
};
template <class... Ts>
struct all_conversions {
  static std::vector<conversions_of> make() {
    return {{dtype_of<Ts>, op::astype<Ts>::label(),
             of_elements<conversions_to<Ts>::template from>::by_source}...};
  }
};

using conversion_table = std::array<std::array<const strip_kernel*, num_dtypes>, num_dtypes>;

conversion_table make_conversions() {
  conversion_table table{};
  for (const conversions_of& entry : of_elements<all_conversions>::make()) {
    for (std::size_t from = 0; from < num_dtypes; ++from) {
      if (entry.from[from] == nullptr) continue;
      const auto type = static_cast<dtype>(from);
      table[static_cast<std::size_t>(entry.to)][from] =
          &make_strip_kernel(fmt::format("astype<{}>({})", name_of(entry.to), name_of(type)),
                             entry.label, {type}, entry.to, entry.from[from]);
    }
  }
  return table;
}

const conversion_table& conversions() {
  static const conversion_table table = make_conversions();
  return table;
}

// A process that runs a part of another process's plan finds the kernels by name.
const bool conversions_are_known = (static_cast<void>(conversions()), true);

}  // namespace

const strip_kernel* conversion_kernel(dtype from, dtype to) {
  return conversions()[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)];
}

}  // namespace tessera::detail

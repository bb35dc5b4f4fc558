// SPDX-License-Identifier: Apache-2.0
#include "kernel/api/hermitian_half.hpp"

#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/registry.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>

namespace tessera {
namespace {

/// Applies `F` to each element of type `T` of a strip.
template <class T, class R, R (*F)(T)>
void map_strip(const strip& s) {
  const auto* const from = static_cast<const T*>(static_cast<const void*>(s.inputs[0]));
  std::transform(from, from + s.size, static_cast<R*>(static_cast<void*>(s.outputs[0])), F);
}

template <class Real>
std::complex<Real> half(std::complex<Real> x) {
  return {x.real() / 2, x.imag() / 2};
}

template <class Real>
Real real_of(std::complex<Real> x) {
  return x.real();
}

template <class T, class R, R (*F)(T)>
const strip_kernel& kernel_of(const char* label) {
  static const std::string name =
      "line::" + std::string(label) + "<" + std::string(name_of(dtype_of<T>)) + ">";
  static const strip_kernel kernel{.name = name,
                                   .label = std::string(label) + "({0})",
                                   .inputs = {dtype_of<T>},
                                   .outputs = {dtype_of<R>},
                                   .run = &map_strip<T, R, F>,
                                   .restore = &detail::no_parameters};
  static const strip_kernel& known = register_kernel(kernel);
  return known;
}

[[maybe_unused]] const bool halves_are_registered = [] {
  for (const dtype type : {dtype::complex64, dtype::complex128}) {
    static_cast<void>(line::halved(type));
    static_cast<void>(line::real_part(type));
  }
  return true;
}();

}  // namespace

const strip_kernel& line::halved(dtype type) {
  return type == dtype::complex64 ? kernel_of<complex64, complex64, &half<float>>("half")
                                  : kernel_of<complex128, complex128, &half<double>>("half");
}

const strip_kernel& line::real_part(dtype type) {
  return type == dtype::complex64 ? kernel_of<complex64, float, &real_of<float>>("real")
                                  : kernel_of<complex128, double, &real_of<double>>("real");
}

}  // namespace tessera

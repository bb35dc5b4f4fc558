// SPDX-License-Identifier: Apache-2.0
/// \file
/// The first two of the four steps of a long transform.
///
/// A transform of n = n1 n2 points is a matrix of n1 rows and n2 columns: transform the columns,
/// multiply element (j, k) by exp(-2 pi i j k / n), transform the rows, transpose. This kernel
/// transforms lines of `points` and multiplies line `j` by the twiddle factors, so that no line of
/// n points is in memory at once.
/// Source: Bailey, "FFTs in external or hierarchical memory", 1990.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/line_kernel.hpp"

#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/transform.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>

namespace tessera {
namespace {

using detail::fourier_transform;
using detail::line_runner;
using line::four_step_spec;

const four_step_spec& four_step_spec_in(const void* parameters) {
  return *static_cast<const four_step_spec*>(parameters);
}

/// The twiddle factors exp(-2 pi i j k / n) for every k.
///
/// With tables of length m = ceil(sqrt(points)) and k = m p + r, a factor is the product of a
/// factor of the table of m p and one of the table of r.
class twiddle_factors {
 public:
  static index_t table_length(index_t points) {
    return static_cast<index_t>(std::ceil(std::sqrt(static_cast<double>(points))));
  }
  /// Returns the bytes of the tables for `points` values of k.
  static std::size_t workspace(index_t points) {
    return detail::padded(2 * static_cast<std::size_t>(table_length(points)) * sizeof(complex128));
  }

  twiddle_factors(const four_step_spec& spec, std::byte* memory)
      : whole_(spec.whole),
        sign_(spec.is_inverse ? 1 : -1),
        length_(table_length(spec.points)),
        rest_(static_cast<complex128*>(static_cast<void*>(memory))),
        multiples_(rest_ + length_) {}

  /// Makes the tables for `j`.
  void set_line(index_t j) {
    for (index_t k = 0; k < length_; ++k) {
      rest_[k] = factor_of(j, k);
      multiples_[k] = factor_of(j, k * length_);
    }
  }

  [[nodiscard]] complex128 operator()(index_t k) const {
    return detail::product(multiples_[k / length_], rest_[k % length_]);
  }

 private:
  [[nodiscard]] complex128 factor_of(index_t j, index_t k) const {
    // Modulo the whole, so that no digit of the angle is lost.
    const auto step = static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(k) %
                      static_cast<std::uint64_t>(whole_);
    const double angle =
        2 * std::numbers::pi * (static_cast<double>(step) / static_cast<double>(whole_));
    return {std::cos(angle), sign_ * std::sin(angle)};
  }

  index_t whole_;
  double sign_;
  index_t length_;
  complex128* rest_;
  complex128* multiples_;
};

/// Transforms lines of elements of type `T` in `Real` precision, and multiplies them by the twiddle
/// factors of their index.
template <class T, class Real>
struct line_transforms {
  using complex = std::complex<Real>;
  using runner = line_runner<T, complex>;
  static constexpr bool is_of_real = std::is_same_v<T, Real>;

  static bool takes(const block_shapes& of) {
    return detail::are_lines(of, 1) && of.inputs.front().size() > 1 &&
           of.inputs.front() == of.outputs.front() &&
           of.inputs.front().back() == four_step_spec_in(of.parameters).points;
  }

  /// Room for a line of complex numbers, if elements are real.
  static std::size_t line_bytes(index_t points) {
    return is_of_real ? detail::padded(static_cast<std::size_t>(points) * sizeof(complex)) : 0;
  }
  static std::size_t workspace(const block_shapes& of) {
    const index_t points = four_step_spec_in(of.parameters).points;
    return runner::workspace(of, detail::axes_before_lines(of, 1)) +
           twiddle_factors::workspace(points) + line_bytes(points);
  }
  static std::size_t kept(const block_shapes& of) {
    return fourier_transform<Real>::memory(four_step_spec_in(of.parameters).points);
  }

  static void run(const block_call& call) {
    const four_step_spec& spec = four_step_spec_in(call.parameters);
    const index_vector& extents = call.inputs[0].extents;
    const block_shapes of{{extents}, {call.outputs[0].extents}, call.parameters};
    const std::size_t num_loops = extents.size() - 1;
    const index_t first = call.inputs[0].start[num_loops - 1];
    std::byte* const memory = call.workspace.data() + runner::workspace(of, num_loops);
    twiddle_factors factors(spec, memory);
    auto* const whole =
        static_cast<complex*>(static_cast<void*>(memory + twiddle_factors::workspace(spec.points)));
    fourier_transform<Real> transform(spec.points);
    runner(call, num_loops).for_each([&](const T* line, complex* result, index_t line_index) {
      const complex* from = nullptr;
      if constexpr (is_of_real) {
        std::copy_n(line, spec.points, whole);
        from = whole;
      } else {
        from = line;
      }
      if (spec.is_inverse) {
        transform.inverse(result, from);
      } else {
        transform.forward(result, from);
      }
      factors.set_line(first + line_index);
      for (index_t k = 0; k < spec.points; ++k) {
        result[k] = detail::product(result[k], complex(factors(k)));
      }
    });
  }
};

kernel_parameters restore_four_step(std::string_view identity) {
  detail::byte_reader bytes(identity);
  four_step_spec spec;
  spec.points = bytes.take<index_t>();
  spec.whole = bytes.take<index_t>();
  spec.is_inverse = bytes.take<bool>();
  bytes.require_end();
  return line::four_step_parameters(spec);
}

template <class T, class Real>
const block_kernel& four_step_kernel() {
  using lines = line_transforms<T, Real>;
  static const std::string name = "four_step_fft<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = "fft",
                                   .inputs = {dtype_of<T>},
                                   .outputs = {dtype_of<std::complex<Real>>},
                                   .run = &lines::run,
                                   .takes = &lines::takes,
                                   .workspace = &lines::workspace,
                                   .kept = &lines::kept,
                                   .restore = &restore_four_step,
                                   .is_separable = true};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

const bool four_steps_are_registered = [] {
  for (const dtype type : {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128}) {
    static_cast<void>(line::four_step_fft(type));
  }
  return true;
}();

}  // namespace

const block_kernel& line::four_step_fft(dtype type) {
  static_cast<void>(four_steps_are_registered);
  switch (type) {
    case dtype::float32:
      return four_step_kernel<float, float>();
    case dtype::float64:
      return four_step_kernel<double, double>();
    case dtype::complex64:
      return four_step_kernel<complex64, float>();
    default:
      return four_step_kernel<complex128, double>();
  }
}

kernel_parameters line::four_step_parameters(const four_step_spec& spec) {
  if (spec.points < 1 || spec.points > most_points || spec.whole < spec.points ||
      spec.whole % spec.points != 0) {
    throw value_error("fft: a transform of " + std::to_string(spec.whole) + " points, " +
                      std::to_string(spec.points) +
                      " of them at once; these are from 1 to 2^28 and divide it");
  }
  return {spec, detail::bytes_of(spec.points) + detail::bytes_of(spec.whole) +
                    detail::bytes_of(spec.is_inverse)};
}

}  // namespace tessera

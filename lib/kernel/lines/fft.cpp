// SPDX-License-Identifier: Apache-2.0
/// \file
/// Discrete Fourier transforms of lines, to complex coefficients and back.
///
/// Problem: a line has `points` elements of the transform, but the block may have fewer or more of
/// them, and neighbours of a line may lie apart.
///
/// Idea: `line_runner` gathers each line into contiguous memory. Missing elements at its end become
/// zeros, further ones are left out. Of real elements only the coefficients 0 to points / 2 are
/// stored, as the further coefficients are conjugates:
///
///     X[k] = scale * sum over j of x[j] exp(-2 pi i j k / points),    X[points - k] = conj(X[k])
///
/// Invariant: a transform allocates at most `fourier_transform::memory(points)`, which plans count.
/// Reference: `fourier_transform` (`transform.hpp`) names the algorithms.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/line_kernel.hpp"

#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/transform.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tessera {
namespace {

using detail::fourier_transform;
using detail::line_runner;
using line::fourier_spec;

const fourier_spec& fourier_spec_in(const void* parameters) {
  return *static_cast<const fourier_spec*>(parameters);
}

/// Elements that are missing at the end of a line are zeros.
template <class T>
const T* in_full(const T* line, index_t size, T* full, index_t wanted) {
  if (size >= wanted) return line;
  std::fill(std::copy_n(line, size, full), full + wanted, T());
  return full;
}

/// Transforms lines of elements of type `T` to elements of type `R`, in `Real` precision.
template <class T, class R, class Real>
struct transforms {
  using runner = line_runner<T, R>;
  using complex = std::complex<Real>;
  static constexpr bool is_of_real = std::is_same_v<T, Real>;
  static constexpr bool makes_real = std::is_same_v<R, Real>;

  /// Returns the number of elements of a line that a transform reads.
  static index_t num_read(const fourier_spec& spec) {
    return makes_real ? spec.points / 2 + 1 : spec.points;
  }
  static index_t num_written(const fourier_spec& spec) {
    return is_of_real ? spec.points / 2 + 1 : spec.points;
  }

  static bool takes(const block_shapes& of) {
    return detail::are_lines(of, 1) && fourier_spec_in(of.parameters).points <= line::most_points &&
           of.outputs.front().back() == num_written(fourier_spec_in(of.parameters)) &&
           of.inputs.front().size() == of.outputs.front().size();
  }

  static double work(const block_shapes& of) {
    return detail::work_of_lines(of.outputs[0], num_written(fourier_spec_in(of.parameters)));
  }
  static std::size_t workspace(const block_shapes& of) {
    const auto full =
        static_cast<std::size_t>(num_read(fourier_spec_in(of.parameters))) * sizeof(T);
    return runner::workspace(of, detail::axes_before_lines(of, 1)) + full;
  }

  static std::size_t kept(const block_shapes& of) {
    return fourier_transform<Real>::memory(fourier_spec_in(of.parameters).points);
  }

  static void run(const block_call& call) {
    const fourier_spec& spec = fourier_spec_in(call.parameters);
    const index_vector& extents = call.inputs[0].extents;
    const block_shapes of{{extents}, {call.outputs[0].extents}, call.parameters};
    const std::size_t num_loops = extents.size() - 1;
    std::byte* const memory = call.workspace.data() + runner::workspace(of, num_loops);
    auto* const full = static_cast<T*>(static_cast<void*>(memory));
    fourier_transform<Real> transform(spec.points);
    const auto scale = static_cast<Real>(spec.scale);
    runner(call, num_loops).for_each([&](const T* line, R* result) {
      const T* const from = in_full(line, extents.back(), full, num_read(spec));
      if constexpr (!is_of_real && !makes_real) {
        if (spec.is_inverse) {
          transform.inverse(result, from);
        } else {
          transform.forward(result, from);
        }
      } else if constexpr (is_of_real) {
        transform.forward(result, from);
      } else {
        transform.inverse(result, from);
      }
      if (spec.scale == 1) return;
      std::for_each(result, result + num_written(spec), [scale](R& x) { x *= scale; });
    });
  }
};

kernel_parameters restore_transform(std::string_view identity) {
  detail::byte_reader bytes(identity);
  fourier_spec spec;
  spec.points = bytes.take<index_t>();
  spec.is_inverse = bytes.take<bool>();
  spec.scale = bytes.take<double>();
  bytes.require_end();
  return line::transform_parameters(spec);
}

template <class T, class R, class Real>
const block_kernel& transform_kernel(const char* label) {
  using lines = transforms<T, R, Real>;
  static const std::string name =
      std::string(label) + "<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = label,
                                   .inputs = {dtype_of<T>},
                                   .outputs = {dtype_of<R>},
                                   .run = &lines::run,
                                   .takes = &lines::takes,
                                   .workspace = &lines::workspace,
                                   .kept = &lines::kept,
                                   .work = &lines::work,
                                   .restore = &restore_transform,
                                   .is_separable = true};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

const bool transforms_are_registered = [] {
  for (const dtype type : {dtype::complex64, dtype::complex128}) {
    static_cast<void>(line::fft(type));
    static_cast<void>(line::irfft(type));
  }
  for (const dtype type : {dtype::float32, dtype::float64}) static_cast<void>(line::rfft(type));
  return true;
}();

}  // namespace

const block_kernel& line::fft(dtype type) {
  static_cast<void>(transforms_are_registered);
  return type == dtype::complex64 ? transform_kernel<complex64, complex64, float>("fft")
                                  : transform_kernel<complex128, complex128, double>("fft");
}

const block_kernel& line::rfft(dtype type) {
  return type == dtype::float32 ? transform_kernel<float, complex64, float>("rfft")
                                : transform_kernel<double, complex128, double>("rfft");
}

const block_kernel& line::irfft(dtype type) {
  return type == dtype::complex64 ? transform_kernel<complex64, float, float>("irfft")
                                  : transform_kernel<complex128, double, double>("irfft");
}

kernel_parameters line::transform_parameters(const fourier_spec& spec) {
  if (spec.points < 1) {
    throw value_error("fft: a transform of " + std::to_string(spec.points) +
                      " points; take at least 1");
  }
  return {spec, detail::bytes_of(spec.points) + detail::bytes_of(spec.is_inverse) +
                    detail::bytes_of(spec.scale)};
}

}  // namespace tessera

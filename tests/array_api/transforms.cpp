// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fourier transforms: along the rows of a matrix, or along the last axes of a stack.
#include "tessera/array/compute.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/function/fft.hpp"

#include "array_api/call.hpp"
#include "array_api/shapes.hpp"

namespace tessera::array_api {
namespace {

fft_norm norm_named(const std::string& name) {
  if (name == "ortho") return fft_norm::ortho;
  if (name == "forward") return fft_norm::forward;
  return fft_norm::backward;
}

/// name(x, points or none, axis, norm)
template <class Transform>
function along_lines(Transform f) {
  return [f](const call& given) {
    const any_array& x = given.array(0);
    const std::size_t axis = given.axis(2, x.rank());
    const fft_norm norm = norm_named(given.text(3));
    const any_array lines = apply<2>(
        lines_of(x, axis), [&]<detail::standard_number T>(
                               const array<T, 2>& m) requires requires { f(m, norm); } {
          return given.is_none(1) ? array(f(m, norm)) : array(f(m, norm, points(given.integer(1))));
        });
    return results{from_lines(lines, x, axis)};
  };
}

/// Returns `f` of `x` with the transformed axes last, and the rest before them in their order.
template <std::size_t N, class Transform>
any_array behind(const any_array& x, Transform f) {
  return unstacked(apply<N + 1>(
                       stacked(x, N), [&]<detail::standard_number T>(
                                          const array<T, N + 1>& m) requires requires { f(m); } {
                         return f(m);
                       }),
                   front_of(x, N));
}

/// name(x, axes, norm)
template <class Transform>
function along_axes(Transform f) {
  return [f](const call& given) {
    any_array x = given.array(0);
    const std::vector<std::size_t> axes = given.axes(1, x.rank());
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
    }
    order.insert(order.end(), axes.begin(), axes.end());
    std::vector<std::size_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
    const fft_norm norm = norm_named(given.text(2));
    x = permuted(x, order);
    const auto transform = [&] {
      if (axes.size() == 1) {
        return behind<1>(x, [&](const auto& m) -> decltype(f(m, norm, axis<-1>)) {
          return f(m, norm, axis<-1>);
        });
      }
      if (axes.size() == 2) {
        return behind<2>(x, [&](const auto& m) -> decltype(f(m, norm, axis<-2, -1>)) {
          return f(m, norm, axis<-2, -1>);
        });
      }
      if (axes.size() == 3) {
        return behind<3>(x, [&](const auto& m) -> decltype(f(m, norm, axis<-3, -2, -1>)) {
          return f(m, norm, axis<-3, -2, -1>);
        });
      }
      throw shape_error("transforms along 1 to 3 axes are compiled here");
    };
    return results{permuted(transform(), back)};
  };
}

/// name(x, axis)
template <class Shift>
function shifted(Shift f) {
  return [f](const call& given) {
    const any_array& x = given.array(0);
    const std::size_t axis = given.axis(1, x.rank());
    const any_array lines = apply<2>(
        lines_of(x, axis), [&]<detail::standard_number T>(const array<T, 2>& m) { return f(m); });
    return results{from_lines(lines, x, axis)};
  };
}

}  // namespace

void add_transforms(functions& table) {
  table["fft"] =
      along_lines([](const auto& m, const auto&... options) { return fft(m, options...); });
  table["ifft"] =
      along_lines([](const auto& m, const auto&... options) { return ifft(m, options...); });
  table["irfft"] =
      along_lines([](const auto& m, const auto&... options) { return irfft(m, options...); });
  table["hfft"] =
      along_lines([](const auto& m, const auto&... options) { return hfft(m, options...); });
  table["rfft"] =
      along_lines([]<std::floating_point T>(const array<T, 2>& m, const auto&... options) {
        return rfft(m, options...);
      });
  table["ihfft"] =
      along_lines([]<std::floating_point T>(const array<T, 2>& m, const auto&... options) {
        return ihfft(m, options...);
      });
  table["fftn"] =
      along_axes([](const auto& m, const auto&... options) { return fftn(m, options...); });
  table["ifftn"] =
      along_axes([](const auto& m, const auto&... options) { return ifftn(m, options...); });
  table["irfftn"] =
      along_axes([](const auto& m, const auto&... options) { return irfftn(m, options...); });
  table["rfftn"] = along_axes(
      []<std::floating_point T, std::size_t N>(const array<T, N>& m, const auto&... options) {
        return rfftn(m, options...);
      });
  table["fftshift"] = shifted([](const auto& m) { return fftshift(m, axis<1>); });
  table["ifftshift"] = shifted([](const auto& m) { return ifftshift(m, axis<1>); });
  table["fftfreq"] = [](const call& given) {
    return results{array(fftfreq(given.integer(0), given.number(1)))};
  };
  table["rfftfreq"] = [](const call& given) {
    return results{array(rfftfreq(given.integer(0), given.number(1)))};
  };
}

}  // namespace tessera::array_api

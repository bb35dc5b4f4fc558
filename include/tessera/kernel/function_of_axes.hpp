// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels that call a user's function object with what lies along whole axes, for each index of
/// the others.

#include "tessera/core/strided_copy.hpp"
#include "tessera/kernel/function_of_blocks.hpp"
#include "tessera/meta/signature.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// What a function gets of an operand with `Rank` whole axes.
template <class T, std::size_t Rank>
struct whole_axes {
  using type = block_view<T, Rank>;
};
template <class T>
struct whole_axes<T, 1> {
  using type = std::span<T>;
};
template <class T>
struct whole_axes<T, 0> {
  using type = std::remove_const_t<T>;
};
template <class T, std::size_t Rank>
using whole_axes_t = typename whole_axes<T, Rank>::type;

/// Tells whether blocks are those of a signature whose letters stand for one extent each.
[[nodiscard]] bool fit_signature(const gufunc_signature& signature, const block_shapes& of);

/// The bytes of a line, so that what lies behind it is aligned.
constexpr std::size_t bytes_of_line(index_t count, std::size_t itemsize) {
  return (static_cast<std::size_t>(count) * itemsize + 63) / 64 * 64;
}

/// Calls `F` as `Signature` says, with elements of types `Ts`, for one result of elements of `R`.
template <class F, class R, fixed_string Text, class... Ts>
struct call_along_axes {
  using function = F;
  using result = R;
  static constexpr const gufunc_signature& signature = signature_of<Text>;
  static constexpr std::size_t result_rank = signature.result(0).rank;
  static constexpr std::string_view label = "apply_gufunc";
  static constexpr bool is_separable = true;

  block_function_object<F> object;

  static const block_kernel& kernel() { return block_function_kernel<call_along_axes>(); }
  [[nodiscard]] kernel_parameters parameters() const { return parameters_of_object(object); }

  static std::vector<dtype> inputs() { return {dtype_of<Ts>...}; }
  static bool takes(const block_shapes& of) { return fit_signature(signature, of); }

  /// Lines that are not dense are copied.
  static std::size_t workspace(const block_shapes& of) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < sizeof...(Ts); ++i) {
      if (signature.input(i).rank == 1) {
        size += bytes_of_line(of.inputs[i].back(), size_of(inputs()[i]));
      }
    }
    if (result_rank == 1) size += bytes_of_line(of.outputs[0].back(), sizeof(R));
    return size;
  }

  static void run(const block_call& call) {
    const auto& f = static_cast<const block_function_object<F>*>(call.parameters)->f;
    const block_output& out = call.outputs.front();
    const std::size_t num_loops = out.extents.size() - result_rank;
    index_vector loops(num_loops);
    for (std::size_t axis = 0; axis < num_loops; ++axis) loops[axis] = out.extents[axis];
    index_vector position(num_loops);
    do {
      std::span<std::byte> memory = call.workspace;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        // Braces order the calls, which take their memory one after the other.
        const std::tuple arguments{argument<Ts, I>(call.inputs[I], position, memory)...};
        call_once(f, out, position, memory, std::get<I>(arguments)...);
      }
      (std::index_sequence_for<Ts...>{});
    } while (num_loops > 0 && next_position(position, loops));
  }

 private:
  template <class Block>
  static index_t offset(const Block& block, const index_vector& position) {
    index_t bytes = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      bytes += position[axis] * block.strides[axis];
    }
    return bytes;
  }

  static std::byte* take(std::span<std::byte>& memory, std::size_t size) {
    std::byte* const taken = memory.data();
    memory = memory.subspan(size);
    return taken;
  }

  template <class T, std::size_t I>
  static auto argument(const block_input& in, const index_vector& position,
                       std::span<std::byte>& memory) {
    constexpr std::size_t rank = signature.input(I).rank;
    const index_t at = offset(in, position);
    if constexpr (rank == 0) {
      return *static_cast<const T*>(static_cast<const void*>(in.data + at));
    } else if constexpr (rank == 1) {
      const index_t size = in.extents.back();
      std::byte* const line = take(memory, bytes_of_line(size, sizeof(T)));
      const std::byte* from = in.data + at;
      if (in.strides.back() != index_t{sizeof(T)} && size > 1) {
        copy_strided(line, index_t{sizeof(T)}, from, in.strides.back(), size, sizeof(T));
        from = line;
      }
      return std::span<const T>(static_cast<const T*>(static_cast<const void*>(from)),
                                static_cast<std::size_t>(size));
    } else {
      return view_of<const T, rank>(in, at);
    }
  }

  template <class... Arguments>
  static void call_once(const F& f, const block_output& out, const index_vector& position,
                        std::span<std::byte>& memory, const Arguments&... arguments) {
    std::byte* const to = out.data + offset(out, position);
    if constexpr (result_rank == 0) {
      *static_cast<R*>(static_cast<void*>(to)) = f(arguments...);
    } else if constexpr (result_rank == 1) {
      const index_t size = out.extents.back();
      const bool is_dense = out.strides.back() == index_t{sizeof(R)} || size <= 1;
      std::byte* const line = is_dense ? to : take(memory, bytes_of_line(size, sizeof(R)));
      f(arguments...,
        std::span<R>(static_cast<R*>(static_cast<void*>(line)), static_cast<std::size_t>(size)));
      if (!is_dense) {
        copy_strided(to, out.strides.back(), line, index_t{sizeof(R)}, size, sizeof(R));
      }
    } else {
      f(arguments..., view_of<R, result_rank>(out, offset(out, position)));
    }
  }
};

}  // namespace tessera::detail

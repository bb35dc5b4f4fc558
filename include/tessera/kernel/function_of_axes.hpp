// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels that call a user's function object with the elements along whole axes, for each index of
/// the other axes.

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

/// The argument of a function for an operand with `Rank` whole axes.
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

/// The bytes of a line, so that the next line is aligned.
constexpr std::size_t bytes_of_line(index_t count, std::size_t itemsize) {
  return (static_cast<std::size_t>(count) * itemsize + 63) / 64 * 64;
}

/// Calls `F` as `Signature` says, with elements of types `Ts`, for results of elements of types
/// `Rs`.
template <class F, class Rs, fixed_string Text, class... Ts>
struct call_along_axes {
  using function = F;
  using results = Rs;
  using result = typename Rs::template at<0>;
  static constexpr const gufunc_signature& signature = signature_of<Text>;
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
    for (std::size_t i = 0; i < Rs::size; ++i) {
      if (signature.result(i).rank == 1) {
        size += bytes_of_line(of.outputs[i].back(), size_of(Rs::list()[i]));
      }
    }
    return size;
  }

  static void run(const block_call& call) {
    const auto& f = static_cast<const block_function_object<F>*>(call.parameters)->f;
    const index_vector& extents = call.outputs.front().extents;
    const std::size_t num_loops = extents.size() - signature.result(0).rank;
    index_vector loops(num_loops);
    for (std::size_t axis = 0; axis < num_loops; ++axis) loops[axis] = extents[axis];
    index_vector position(num_loops);
    do {
      std::span<std::byte> memory = call.workspace;
      [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>,
                                              std::index_sequence<J...>) {
        // Braces order the calls, which take their memory one after the other.
        const std::tuple arguments{argument<Ts, I>(call.inputs[I], position, memory)...};
        const std::tuple<call_result<J>...> results{
            call_result<J>(call.outputs[J], offset(call.outputs[J], position), memory)...};
        if constexpr (signature.returns()) {
          const auto returned = f(std::get<I>(arguments)...);
          (std::get<J>(results).put(element_of<J>(returned)), ...);
        } else {
          f(std::get<I>(arguments)..., std::get<J>(results).argument()...);
          (std::get<J>(results).leave(), ...);
        }
      }
      (std::index_sequence_for<Ts...>{}, std::make_index_sequence<Rs::size>{});
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
    std::byte* const begin = memory.data();
    memory = memory.subspan(size);
    return begin;
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

  /// A result at one index of the other axes: an element, a line, which is made in a buffer if it
  /// does not lie densely, or a block.
  template <std::size_t J>
  class call_result {
   public:
    using type = typename Rs::template at<J>;
    static constexpr std::size_t rank = signature.result(J).rank;

    call_result(const block_output& out, index_t offset, std::span<std::byte>& memory)
        : out_(out), offset_(offset) {
      if constexpr (rank == 1) {
        const bool is_dense =
            out.strides.back() == index_t{sizeof(type)} || out.extents.back() <= 1;
        if (!is_dense) apart_ = take(memory, bytes_of_line(out.extents.back(), sizeof(type)));
      }
    }

    [[nodiscard]] decltype(auto) argument() const {
      if constexpr (rank == 0) {
        return *static_cast<type*>(static_cast<void*>(there()));
      } else if constexpr (rank == 1) {
        std::byte* const line = apart_ == nullptr ? there() : apart_;
        return std::span<type>(static_cast<type*>(static_cast<void*>(line)),
                               static_cast<std::size_t>(out_.extents.back()));
      } else {
        return view_of<type, rank>(out_, offset_);
      }
    }
    template <class T>
    void put(const T& element) const {
      *static_cast<type*>(static_cast<void*>(there())) = static_cast<type>(element);
    }
    /// Copies the buffer to the result.
    void leave() const {
      if (apart_ == nullptr) return;
      copy_strided(there(), out_.strides.back(), apart_, index_t{sizeof(type)}, out_.extents.back(),
                   sizeof(type));
    }

   private:
    [[nodiscard]] std::byte* there() const { return out_.data + offset_; }

    const block_output& out_;
    index_t offset_;
    std::byte* apart_ = nullptr;
  };

  template <std::size_t J, class T>
  static const auto& element_of(const T& returned) {
    if constexpr (Rs::size == 1) {
      return returned;
    } else {
      return std::get<J>(returned);
    }
  }
};

}  // namespace tessera::detail

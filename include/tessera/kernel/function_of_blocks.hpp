// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels that call a user's function object with blocks, or with elements along whole axes.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/block_view.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/tree_state.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/registry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tessera::detail {

/// A function object, and the most memory that it allocates by itself in a call.
template <class F>
struct block_function_object {
  F f;
  std::uint64_t extra_memory = 0;
};

/// Returns the bytes of an object whose state is portable.
template <class F>
std::string bytes_of_object(const block_function_object<F>& object) {
  std::string bytes = bytes_of(object.extra_memory);
  if constexpr (saves_state<F>) {
    bytes += object.f.save();
  } else if constexpr (!std::is_empty_v<F>) {
    bytes += bytes_of(object.f);
  }
  return bytes;
}

template <class F>
kernel_parameters parameters_of_object(const block_function_object<F>& object) {
  if constexpr (is_portable_state<F>) {
    return {object, bytes_of_object(object)};
  } else {
    return kernel_parameters::not_portable(object, state_obstacle<F>);
  }
}

template <class F>
kernel_parameters restored_object(std::string_view identity) {
  byte_reader bytes(identity);
  const auto extra_memory = bytes.take<std::uint64_t>();
  const auto make = [&]() -> F {
    if constexpr (saves_state<F>) {
      return F::load(bytes.take_bytes(identity.size() - sizeof extra_memory));
    } else if constexpr (std::is_empty_v<F>) {
      return F{};
    } else {
      return bytes.take<F>();
    }
  };
  block_function_object<F> object{make(), extra_memory};
  bytes.require_end();
  return parameters_of_object(object);
}

template <class F>
restore_function restore_object() {
  if constexpr (is_portable_state<F>) {
    return &restored_object<F>;
  } else {
    return nullptr;
  }
}

/// The last `N` axes of a block from an offset on, in bytes.
template <class T, std::size_t N, class Block>
block_view<T, N> view_of(const Block& block, index_t offset = 0) {
  using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  using pointer = std::conditional_t<std::is_const_v<T>, const void*, void*>;
  std::array<index_t, N> shape{};
  std::array<index_t, N> strides{};
  std::array<index_t, N> start{};
  const std::size_t first = block.extents.size() - N;
  for (std::size_t k = 0; k < N; ++k) {
    shape[k] = block.extents[first + k];
    strides[k] = block.strides[first + k] / index_t{sizeof(T)};
    start[k] = block.start[first + k];
  }
  byte* const data = block.data + offset;
  return {static_cast<T*>(static_cast<pointer>(data)), shape, strides, start};
}

/// Types of elements: those of the results of a function.
template <class... Rs>
struct element_types {
  static constexpr std::size_t size = sizeof...(Rs);
  template <std::size_t I>
  using at = std::tuple_element_t<I, std::tuple<Rs...>>;
  static std::vector<dtype> list() { return {dtype_of<Rs>...}; }
};

/// Returns the `start` of a `Call` that has one, else null.
template <class Call>
consteval auto start_of() -> void (*)(const block_call&) {
  if constexpr (requires { &Call::start; }) {
    return &Call::start;
  } else {
    return nullptr;
  }
}

/// Returns the kernel of `Call`, a type that has the type `function` of the function object, the
/// types of elements, `is_separable`, `run` and `takes`. It has a `workspace` if it needs one, and
/// a `start` if it is called several times for a block of the results.
template <class Call>
const block_kernel& block_function_kernel() {
  static_cast<void>(&known_at_start<&block_function_kernel<Call>>::is_known);
  using object = block_function_object<typename Call::function>;
  static const block_kernel kernel{
      .name = typeid(Call).name(),
      .label = Call::label,
      .inputs = Call::inputs(),
      .outputs = Call::results::list(),
      .run = &Call::run,
      .start = start_of<Call>(),
      .takes = &Call::takes,
      .workspace = &Call::workspace,
      .kept =
          [](const block_shapes& of) {
            return std::size_t{static_cast<const object*>(of.parameters)->extra_memory};
          },
      .work = &work_of_unknown,
      .restore = restore_object<typename Call::function>(),
      .is_separable = Call::is_separable};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

/// Calls `F` with blocks of `N` axes of elements of types `Ts`, and the blocks of the results.
template <class F, class Rs, std::size_t N, class... Ts>
struct call_with_blocks {
  using function = F;
  using results = Rs;
  using result = typename Rs::template at<0>;
  static constexpr std::string_view label = "map_blocks";
  static constexpr bool is_separable = false;

  block_function_object<F> object;

  static const block_kernel& kernel() { return block_function_kernel<call_with_blocks>(); }
  [[nodiscard]] kernel_parameters parameters() const { return parameters_of_object(object); }

  static std::vector<dtype> inputs() { return {dtype_of<Ts>...}; }
  static bool takes(const block_shapes& of) {
    const auto has_rank = [](const index_vector& extents) { return extents.size() == N; };
    return of.inputs.size() == sizeof...(Ts) && of.outputs.size() == Rs::size &&
           std::all_of(of.inputs.begin(), of.inputs.end(), has_rank) &&
           std::all_of(of.outputs.begin(), of.outputs.end(), has_rank);
  }
  static std::size_t workspace(const block_shapes&) { return 0; }
  static void run(const block_call& call) {
    const auto& f = static_cast<const block_function_object<F>*>(call.parameters)->f;
    [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
      f(view_of<const Ts, N>(call.inputs[I])...,
        view_of<typename Rs::template at<J>, N>(call.outputs[J])...);
    }
    (std::index_sequence_for<Ts...>{}, std::make_index_sequence<Rs::size>{});
  }
};

/// Ranks of arrays.
template <std::size_t... N>
struct ranks_of {
  static constexpr std::size_t size = sizeof...(N);
  static constexpr std::array<std::size_t, size> list{N...};
};

/// Calls `F` with blocks of arrays of elements of types `Ts` and of the ranks `In`, and the blocks
/// of results of the ranks `Out`, which are zeros at first: block after block of the axes that
/// results do not have.
template <class F, class Rs, class Out, class In, class... Ts>
struct call_by_letters {
  using function = F;
  using results = Rs;
  using result = typename Rs::template at<0>;
  static constexpr std::string_view label = "blockwise";
  static constexpr bool is_separable = false;

  block_function_object<F> object;

  static const block_kernel& kernel() { return block_function_kernel<call_by_letters>(); }
  [[nodiscard]] kernel_parameters parameters() const { return parameters_of_object(object); }

  static std::vector<dtype> inputs() { return {dtype_of<Ts>...}; }
  static bool takes(const block_shapes& of) {
    const auto have = [](const std::vector<index_vector>& shapes, const auto& ranks) {
      return std::equal(
          shapes.begin(), shapes.end(), ranks.begin(), ranks.end(),
          [](const index_vector& extents, std::size_t rank) { return extents.size() == rank; });
    };
    return have(of.inputs, In::list) && have(of.outputs, Out::list);
  }
  static std::size_t workspace(const block_shapes&) { return 0; }
  static void start(const block_call& call) {
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      const block_output& out = call.outputs[i];
      index_vector position(out.extents.size());
      do {
        std::byte* to = out.data;
        for (std::size_t k = 0; k < position.size(); ++k) to += position[k] * out.strides[k];
        std::fill_n(to, size_of(results::list()[i]), std::byte{});
      } while (!position.empty() && next_position(position, out.extents));
    }
  }
  static void run(const block_call& call) {
    const auto& f = static_cast<const block_function_object<F>*>(call.parameters)->f;
    [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
      f(view_of<const Ts, In::list[I]>(call.inputs[I])...,
        view_of<typename Rs::template at<J>, Out::list[J]>(call.outputs[J])...);
    }
    (std::index_sequence_for<Ts...>{}, std::make_index_sequence<Rs::size>{});
  }
};

}  // namespace tessera::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels called on vectors, for tests.

#include "tessera/function/elementwise.hpp"
#include "tessera/kernel/elementwise_kernel.hpp"
#include "tessera/kernel/kernel.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera::testing {

/// A buffer of `size` elements; `std::vector<bool>` has no elements to point to.
template <class T>
class buffer {
 public:
  explicit buffer(std::size_t size) : size_(size), data_(new T[size]()) {}
  explicit buffer(const std::vector<T>& values) : buffer(values.size()) {
    for (std::size_t i = 0; i < size_; ++i) data_[i] = values[i];
  }

  T* data() { return data_.get(); }
  std::byte* bytes() { return static_cast<std::byte*>(static_cast<void*>(data_.get())); }
  std::size_t size() const { return size_; }
  std::vector<T> values() const { return std::vector<T>(data_.get(), data_.get() + size_); }

 private:
  std::size_t size_;
  std::unique_ptr<T[]> data_;
};

namespace detail {

template <class Tree, class... Ts>
std::vector<typename Tree::value_type> run_on_buffers(const Tree& tree, std::size_t size,
                                                      buffer<Ts>... operands) {
  const std::byte* const inputs[] = {operands.bytes()...};
  buffer<typename Tree::value_type> out(size);
  std::byte* const outputs[] = {out.bytes()};
  const kernel_parameters parameters = elementwise_parameters(tree);
  elementwise_kernel<Tree>().run({static_cast<index_t>(size), inputs, outputs, parameters.get()});
  return out.values();
}

}  // namespace detail

/// Returns the output of the kernel of `tree` for operands of one size.
template <class Tree, class T, class... Ts>
std::vector<typename Tree::value_type> run_tree(const Tree& tree, const std::vector<T>& first,
                                                const std::vector<Ts>&... others) {
  return detail::run_on_buffers(tree, first.size(), buffer<T>(first), buffer<Ts>(others)...);
}

/// Returns `Op` of the elements of `x`.
template <class Op, class T>
auto run_op(const std::vector<T>& x, Op op = {}) {
  return run_tree(tree_node<Op, tree_operand<T, 0>>{op, {}}, x);
}

/// Returns `Op` of the elements of `a` and `b`.
template <class Op, class A, class B>
auto run_op(const std::vector<A>& a, const std::vector<B>& b, Op op = {}) {
  return run_tree(tree_node<Op, tree_operand<A, 0>, tree_operand<B, 1>>{op, {}}, a, b);
}

/// Returns `Op` of the elements of `a`, `b` and `c`.
template <class Op, class A, class B, class C>
auto run_op(const std::vector<A>& a, const std::vector<B>& b, const std::vector<C>& c, Op op = {}) {
  return run_tree(tree_node<Op, tree_operand<A, 0>, tree_operand<B, 1>, tree_operand<C, 2>>{op, {}},
                  a, b, c);
}

}  // namespace tessera::testing

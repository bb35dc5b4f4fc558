// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Common parts of kernels of whole matrices: a view of a block as a batch of matrices, and names.

#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/detail/eigen_core.hpp"
#include "tessera/kernel/function_of_axes.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/meta/promotion.hpp"
#include "tessera/meta/signature.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

namespace tessera::matrices {

/// Column-major, Eigen's fastest order.
template <class T>
using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using matrix_map = Eigen::Map<matrix<T>>;
template <class T>
using matrix_ref = Eigen::Ref<matrix<T>>;
template <class T>
using real_of = typename Eigen::NumTraits<T>::Real;
template <class T>
using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// The bytes of a matrix, rounded up so that the buffer behind it is aligned.
template <class T>
std::size_t bytes_of_matrix(index_t rows, index_t columns) {
  return detail::bytes_of_line(rows * columns, sizeof(T));
}

/// Returns the bytes that Eigen packs of both factors of a product.
template <class T>
std::size_t packed_bytes(index_t rows, index_t columns, index_t inner) {
  Eigen::Index depth = inner;
  Eigen::Index height = rows;
  Eigen::Index width = columns;
  Eigen::internal::computeProductBlockingSizes<T, T>(depth, height, width, Eigen::Index{1});
  return static_cast<std::size_t>(depth * (height + width)) * sizeof(T);
}

/// Held by a thread while it calls the library of decompositions, which then runs on that thread
/// alone.
class library_use {
 public:
  library_use();
  library_use(const library_use&) = delete;
  library_use& operator=(const library_use&) = delete;
  ~library_use();
};

/// A batch of matrices in a block, which share a workspace.
class matrix_call {
 public:
  /// The first operand has `core` axes of a matrix behind the axes of the batch.
  matrix_call(const block_call& call, std::size_t core)
      : call_(call), position_(call.inputs.front().extents.size() - core) {}

  /// Calls `f` for each matrix.
  template <class F>
  void for_each(F f) {
    index_vector extents(position_.size());
    for (std::size_t k = 0; k < extents.size(); ++k) extents[k] = call_.inputs[0].extents[k];
    do {
      used_ = 0;
      f();
    } while (!position_.empty() && next_position(position_, extents));
  }

  /// Returns a matrix in the workspace.
  template <class T>
  matrix_map<T> make(index_t rows, index_t columns) {
    std::byte* const memory = call_.workspace.data() + used_;
    used_ += bytes_of_matrix<T>(rows, columns);
    return {static_cast<T*>(static_cast<void*>(memory)), rows, columns};
  }

  /// Copies operand `i` to `to`, whose rows are the elements along all axes but the last.
  template <class T, class To>
  void read(std::size_t i, To&& to) const {
    const block_input& in = call_.inputs[i];
    const std::size_t rank = in.extents.size();
    const std::byte* const first = in.data + offset(in);
    const index_t columns = in.extents[rank - 1];
    const index_t stride = in.strides[rank - 1];
    const index_t rows = in.extents[rank - 2];
    const bool is_stacked = rank == position_.size() + 3;
    const index_t num_stacked = is_stacked ? in.extents[rank - 3] : 1;
    for (index_t stacked = 0; stacked < num_stacked; ++stacked) {
      const std::byte* const from = first + (is_stacked ? stacked * in.strides[rank - 3] : 0);
      for (index_t row = 0; row < rows; ++row) {
        const std::byte* at = from + row * in.strides[rank - 2];
        for (index_t column = 0; column < columns; ++column, at += stride) {
          to(stacked * rows + row, column) = *static_cast<const T*>(static_cast<const void*>(at));
        }
      }
    }
  }

  /// Copies `from` to output `i`, as `read` does.
  template <class T, class From>
  void write(std::size_t i, const From& from) const {
    const block_output& out = call_.outputs[i];
    const std::size_t rank = out.extents.size();
    std::byte* const first = out.data + offset(out);
    const index_t columns = out.extents[rank - 1];
    const index_t stride = out.strides[rank - 1];
    const index_t rows = out.extents[rank - 2];
    const bool is_stacked = rank == position_.size() + 3;
    const index_t num_stacked = is_stacked ? out.extents[rank - 3] : 1;
    for (index_t stacked = 0; stacked < num_stacked; ++stacked) {
      std::byte* const to = first + (is_stacked ? stacked * out.strides[rank - 3] : 0);
      for (index_t row = 0; row < rows; ++row) {
        std::byte* at = to + row * out.strides[rank - 2];
        for (index_t column = 0; column < columns; ++column, at += stride) {
          *static_cast<T*>(static_cast<void*>(at)) = from(stacked * rows + row, column);
        }
      }
    }
  }
  /// Copies the elements of a vector to output `i`.
  template <class T, class From>
  void write_line(std::size_t i, const From& from) const {
    const block_output& out = call_.outputs[i];
    std::byte* at = out.data + offset(out);
    for (index_t k = 0; k < out.extents.back(); ++k, at += out.strides.back()) {
      *static_cast<T*>(static_cast<void*>(at)) = from(k);
    }
  }
  template <class T>
  void write_element(std::size_t i, T element) const {
    const block_output& out = call_.outputs[i];
    *static_cast<T*>(static_cast<void*>(out.data + offset(out))) = element;
  }

  /// Returns the number of elements along the `k`-th axis from behind of operand, or output, `i`.
  [[nodiscard]] index_t extent_in(std::size_t i, std::size_t k) const {
    const index_vector& extents = call_.inputs[i].extents;
    return extents[extents.size() - k];
  }
  [[nodiscard]] index_t extent_out(std::size_t i, std::size_t k) const {
    const index_vector& extents = call_.outputs[i].extents;
    return extents[extents.size() - k];
  }

  /// Returns the position of the matrix in the batch, for messages.
  [[nodiscard]] std::string name() const {
    if (position_.empty()) return "the matrix";
    index_vector position = position_;
    for (std::size_t k = 0; k < position.size(); ++k) position[k] += call_.inputs[0].start[k];
    return "matrix " + format_shape(position);
  }

 private:
  template <class Block>
  [[nodiscard]] index_t offset(const Block& block) const {
    index_t bytes = 0;
    for (std::size_t k = 0; k < position_.size(); ++k) bytes += position_[k] * block.strides[k];
    return bytes;
  }

  library_use use_;
  const block_call& call_;
  index_vector position_;
  std::size_t used_ = 0;
};

/// Returns the error that says that a decomposition did not converge.
inline value_error not_found(const char* part, const matrix_call& batch) {
  return value_error(std::string("the ") + part + " of " + batch.name() +
                     " were not found: their iteration did not converge");
}

template <class M>
bool has_nan(const M& m) {
  return !(m.array() == m.array()).all();
}

/// Returns the steps of a product of square matrices. Decompositions take as many but for a
/// factor.
inline double work_of_matrices(const block_shapes& of) {
  const index_vector& a = of.inputs[0];
  return static_cast<double>(num_elements(a)) * static_cast<double>(a.back());
}

/// Returns the kernel of `Function<T>`. `Function<T>` has a `label`, `outputs()`, `signature`,
/// `run`, `workspace` and `kept`.
template <template <class> class Function, class T>
const block_kernel& kernel_of() {
  using function = Function<T>;
  static const std::string name =
      std::string(function::label) + "<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = function::label,
                                   .inputs = std::vector<dtype>(function::num_inputs, dtype_of<T>),
                                   .outputs = function::outputs(),
                                   .run = &function::run,
                                   .takes = &function::takes,
                                   .workspace = &function::workspace,
                                   .kept = &function::kept,
                                   .work = &work_of_matrices,
                                   .restore = function::restore,
                                   .is_separable = function::is_separable};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

/// Returns the kernel for elements of type `type`.
template <template <class> class Function>
const block_kernel& kernel_for(dtype type) {
  switch (type) {
    case dtype::float32:
      return kernel_of<Function, float>();
    case dtype::float64:
      return kernel_of<Function, double>();
    case dtype::complex64:
      return kernel_of<Function, complex64>();
    case dtype::complex128:
      return kernel_of<Function, complex128>();
    default:
      throw value_error(std::string(Function<double>::label) + ": has no kernel for elements of " +
                        std::string(name_of(type)));
  }
}

template <template <class> class Function>
bool register_kernels() {
  for (const dtype type : {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128}) {
    static_cast<void>(kernel_for<Function>(type));
  }
  return true;
}

/// The members that functions of one signature share.
template <fixed_string Text>
struct by_signature {
  static constexpr const gufunc_signature& signature = signature_of<Text>;
  static constexpr std::size_t num_inputs = signature.num_inputs;
  static constexpr std::size_t core = signature.input(0).rank;
  static constexpr bool is_separable = true;
  static constexpr restore_function restore = &detail::no_parameters;

  static bool takes(const block_shapes& of) { return detail::fit_signature(signature, of); }
};

/// Extents of the `k`-th axis from behind.
inline index_t last(const index_vector& extents, std::size_t k) {
  return extents[extents.size() - k];
}

}  // namespace tessera::matrices

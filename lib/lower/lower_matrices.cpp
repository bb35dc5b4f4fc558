// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/lower_matrices.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/matrix_kernel.hpp"
#include "tessera/lower/lower_blocks.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/meta/promotion.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include "lower/operands.hpp"
#include "lower/tsqr.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// A call of a function of matrices on stacks of matrices. It computes results for extents of 0 by
/// itself, and refuses matrices that no task holds.
class matrix_call {
 public:
  matrix_call(const matrix_function& function, dtype type,
              const std::vector<laid_out_array>& operands)
      : function_(function), kernel_(function.kernel(type)), operands_(operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const gufunc_signature::group& group = function.signature->input(i);
      const index_vector& shape = operands[i].layout.shape;
      for (std::size_t k = 0; k < group.rank; ++k) {
        has_elements_ = has_elements_ && shape[shape.size() - group.rank + k] > 0;
      }
    }
  }

  /// Tells whether a task holds one matrix.
  [[nodiscard]] bool fits() const {
    if (!has_elements_) return true;
    const block_form form = make_form(operands_);
    const spec limits = spec_of_layout(form.results.front().layout);
    return count_bytes(form, unscaled) <= static_cast<double>(task_memory(limits).count());
  }

  /// Throws: memory_error <- `is_checked`, and one matrix needs more memory than a task has.
  [[nodiscard]] std::vector<laid_out_array> run(bool is_checked = true) const {
    if (!has_elements_) return make_without_elements();
    const block_form form = make_form(operands_);
    std::vector<array_view> views;
    for (const laid_out_array& operand : operands_) views.push_back(operand.view);
    const std::vector<array_handle> outputs =
        make_several(function_.name, kernel_, function_.parameters, form, views);
    if (is_checked) check_memory(form, outputs);
    std::vector<laid_out_array> results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      results.push_back({whole_of(outputs[i]), form.results[i].layout});
    }
    return results;
  }

 private:
  [[nodiscard]] block_form make_form(const std::vector<laid_out_array>& operands) const {
    std::vector<const array_layout*> layouts;
    for (const laid_out_array& operand : operands) layouts.push_back(&operand.layout);
    return gufunc_form(function_.name, *function_.signature, layouts, function_.result_extents);
  }

  /// Returns the results for matrices with an extent of 0, filled with a constant. Their layouts
  /// are derived from matrices with extent 1 in its place, then get the true extents.
  [[nodiscard]] std::vector<laid_out_array> make_without_elements() const {
    std::vector<laid_out_array> filled = operands_;
    for (std::size_t i = 0; i < filled.size(); ++i) {
      array_layout& layout = filled[i].layout;
      const std::size_t rank = function_.signature->input(i).rank;
      for (std::size_t axis = layout.shape.size() - rank; axis < layout.shape.size(); ++axis) {
        layout.shape[axis] = std::max<index_t>(1, layout.shape[axis]);
      }
    }
    matrix_function function = function_;
    for (named_extent& named : function.result_extents)
      named.extent = std::max<index_t>(1, named.extent);
    const block_form form = matrix_call(function, kernel_.inputs.front(), filled).make_form(filled);
    std::vector<laid_out_array> results;
    for (std::size_t i = 0; i < form.results.size(); ++i) {
      array_layout layout = form.results[i].layout;
      const gufunc_signature::group& group = function_.signature->result(i);
      for (std::size_t k = 0; k < group.rank; ++k) {
        layout.shape[layout.shape.size() - group.rank + k] = extent_of(group.letters[k]);
      }
      const double value = function_.of_nothing[std::min(i, function_.of_nothing.size() - 1)];
      const array_handle values = visit_dtype(kernel_.outputs[i], [&]<class T>(type_tag<T>) {
        return make_generated(
            function_.name, layout.shape, layout.chunks, generator::constant<T>(),
            generator::constant_parameters<T>(static_cast<T>(static_cast<real_t<T>>(value))));
      });
      layout.chunks = values->chunks;
      results.push_back({whole_of(values), layout});
    }
    return results;
  }

  /// Returns the extent of a letter of the signature.
  [[nodiscard]] index_t extent_of(std::size_t letter) const {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const gufunc_signature::group& group = function_.signature->input(i);
      const index_vector& shape = operands_[i].layout.shape;
      for (std::size_t k = 0; k < group.rank; ++k) {
        if (group.letters[k] == letter) return shape[shape.size() - group.rank + k];
      }
    }
    for (const named_extent& named : function_.result_extents) {
      if (named.letter == function_.signature->letters[letter]) return named.extent;
    }
    return 0;
  }

  /// Factors of extents are in units of 2^-20.
  static constexpr index_t unscaled = index_t{1} << 20;

  /// Returns the bytes of a task for one matrix whose extents are multiplied by `scale` / 2^20.
  [[nodiscard]] double count_bytes(const block_form& form, index_t scale) const {
    const auto scaled = [&](index_t extent) {
      return std::max<index_t>(1, (extent * scale) >> 20);
    };
    block_shapes shapes{{}, {}, function_.parameters.get()};
    double bytes = 0;
    const auto add = [&](std::vector<index_vector>& to, index_vector extents, dtype type) {
      bytes += static_cast<double>(num_elements(extents)) * static_cast<double>(size_of(type));
      to.push_back(std::move(extents));
    };
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
      index_vector extents;
      for (std::size_t k = 0; k < function_.signature->input(i).rank; ++k) {
        const index_vector& shape = operands_[i].layout.shape;
        extents.push_back(scaled(shape[shape.size() - function_.signature->input(i).rank + k]));
      }
      add(shapes.inputs, std::move(extents), kernel_.inputs[i]);
    }
    for (std::size_t i = 0; i < form.results.size(); ++i) {
      index_vector extents;
      for (const block_form::result_axis& axis : form.results[i].axes) {
        if (axis.length) extents.push_back(scaled(*axis.length));
      }
      add(shapes.outputs, std::move(extents), kernel_.outputs[i]);
    }
    return bytes + static_cast<double>(kernel_.workspace(shapes)) +
           static_cast<double>(kernel_.kept(shapes));
  }

  /// Throws memory_error if one matrix needs more memory than a task has.
  void check_memory(const block_form& form, const std::vector<array_handle>& outputs) const {
    const spec limits = spec_of_layout(form.results.front().layout);
    const bytes available = task_memory(limits);
    const auto most = static_cast<double>(available.count());
    const double needed = count_bytes(form, unscaled);
    if (needed <= most) return;
    index_t fitting = 0;
    for (index_t step = unscaled; step > 0; step /= 2) {
      if (count_bytes(form, fitting + step) <= most) fitting += step;
    }
    const index_vector& shape = operands_.front().layout.shape;
    const index_t rows = shape[shape.size() - 2];
    const index_t columns = shape[shape.size() - 1];
    const index_t fewer_rows = (rows * fitting) >> 20;
    const index_t fewer_columns = (columns * fitting) >> 20;
    const std::string smaller =
        fewer_rows > 0 && fewer_columns > 0
            ? fmt::format("matrices of {} x {} would do, or ", fewer_rows, fewer_columns)
            : "take ";
    const bytes least = bytes{static_cast<std::size_t>(needed)} + limits.reserved_memory;
    throw memory_error(fmt::format(
        "{}: a task holds a whole matrix, and one of {} x {} {} takes {} of the {} that it may "
        "use; {}an allowed_memory of at least {}",
        function_.name, rows, columns, name_of(kernel_.inputs.front()),
        format_short(bytes{static_cast<std::size_t>(needed)}), format_short(available), smaller,
        format(find_enough_memory(outputs, limits, least))));
  }

  [[nodiscard]] static bytes find_enough_memory(const std::vector<array_handle>& outputs,
                                                spec limits, bytes needed);

  const matrix_function& function_;
  const block_kernel& kernel_;
  const std::vector<laid_out_array>& operands_;
  bool has_elements_ = true;
};

/// Returns an allowed memory with which `outputs` can be planned, at least `needed`. A task also
/// holds chunks and the buffers of codecs, so plans are made until one fits.
bytes matrix_call::find_enough_memory(const std::vector<array_handle>& outputs, spec limits,
                                      bytes needed) {
  std::vector<plan_output> requests;
  for (const array_handle& output : outputs) requests.push_back({output});
  constexpr int most_attempts = 16;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    limits.allowed_memory = needed;
    const bounded_plan plan(requests, limits, {.bound_memory = false});
    if (plan.projected_memory() <= needed) break;
    needed = plan.projected_memory();
  }
  return needed;
}

/// Returns `x` with its two axes exchanged.
laid_out_array transposed(laid_out_array x) {
  x.view = seen_through(x.view, {2, {{1, 0, 1}, {0, 0, 1}}});
  std::swap(x.layout.shape[0], x.layout.shape[1]);
  std::swap(x.layout.chunks[0], x.layout.chunks[1]);
  std::vector<std::string> names = x.layout.names.list(2);
  std::swap(names[0], names[1]);
  x.layout.names = axis_names(std::move(names));
  return x;
}

/// The extents of the matrices in `x`.
struct matrix_extents {
  explicit matrix_extents(const array_layout& x)
      : rows(x.shape[x.shape.size() - 2]), columns(x.shape.back()), size(std::min(rows, columns)) {}
  index_t rows;
  index_t columns;
  index_t size;
};

/// Returns the function of U, the singular values and V^H.
matrix_function svd_of(const matrix_extents& extents, bool is_full) {
  return {.name = "svd",
          .kernel = &matrices::svd,
          .signature = &signature_of<"(m,n)->(m,u),(k),(v,n)">,
          .result_extents = {{"u", is_full ? extents.rows : extents.size},
                             {"k", extents.size},
                             {"v", is_full ? extents.columns : extents.size}}};
}

/// Returns the rows of a block of the first operand, if its factors are a tree: it has several
/// blocks of whole chunks, or several blocks and no task holds all of it for `function`.
std::optional<index_t> rows_of_block(const matrix_function& function, dtype type,
                                     const std::vector<laid_out_array>& operands) {
  using enum tall_factors::block_ends;
  const array_layout& x = operands.front().layout;
  const index_t extra_columns = operands.size() > 1 ? operands[1].layout.shape[1] : 0;
  if (const auto rows = tall_factors::rows_of_block(x, of_chunks, extra_columns)) return rows;
  if (x.shape.size() != 2 || matrix_call(function, type, operands).fits()) return std::nullopt;
  return tall_factors::rows_of_block(x, anywhere, extra_columns);
}

}  // namespace

std::vector<laid_out_array> make_matrices(const matrix_function& function, dtype type,
                                          const std::vector<laid_out_array>& operands) {
  return matrix_call(function, type, operands).run();
}

std::vector<laid_out_array> make_lu(dtype type, const laid_out_array& x) {
  return make_matrices({.name = "lu",
                        .kernel = &matrices::lu,
                        .signature = &signature_of<"(m,n)->(m,m),(m,k),(k,n)">,
                        .result_extents = {{"k", matrix_extents(x.layout).size}}},
                       type, {x});
}

std::vector<laid_out_array> make_qr(dtype type, const laid_out_array& x, bool is_full) {
  const matrix_extents extents(x.layout);
  const matrix_function whole{.name = "qr",
                              .kernel = &matrices::qr,
                              .signature = &signature_of<"(m,n)->(m,k),(k,n)">,
                              .result_extents = {{"k", is_full ? extents.rows : extents.size}}};
  if (!is_full) {
    if (const auto rows = rows_of_block(whole, type, {x})) {
      const tall_factors factors("qr", type, x, *rows);
      return {factors.q(std::nullopt), factors.r()};
    }
  }
  return make_matrices(whole, type, {x});
}

std::vector<laid_out_array> make_svd(dtype type, const laid_out_array& x, bool is_full) {
  const matrix_extents extents(x.layout);
  const auto rows_of = [&](const laid_out_array& matrix) {
    return rows_of_block(svd_of(matrix_extents(matrix.layout), false), type, {matrix});
  };
  if (!is_full && extents.rows < extents.columns && x.layout.shape.size() == 2 &&
      rows_of(transposed(x))) {
    std::vector<laid_out_array> factors = make_svd(type, transposed(x), false);
    return {transposed(factors[2]), factors[1], transposed(factors[0])};
  }
  if (const auto rows = is_full ? std::nullopt : rows_of(x)) {
    const tall_factors factors("svd", type, x, *rows);
    const laid_out_array r = factors.r();
    // The products that follow may need more memory, so the plan of all of them is checked.
    std::vector<laid_out_array> results =
        matrix_call(svd_of(matrix_extents(r.layout), false), type, {r}).run(false);
    results[0] = factors.q(results[0]);
    return results;
  }
  return make_matrices(svd_of(extents, is_full), type, {x});
}

laid_out_array make_svdvals(dtype type, const laid_out_array& x) {
  const matrix_extents extents(x.layout);
  const matrix_function whole{.name = "svdvals",
                              .kernel = &matrices::svdvals,
                              .signature = &signature_of<"(m,n)->(k)">,
                              .result_extents = {{"k", extents.size}}};
  if (x.layout.shape.size() == 2) {
    if (extents.rows < extents.columns) return make_svdvals(type, transposed(x));
    if (const auto rows = rows_of_block(whole, type, {x})) {
      return make_svdvals(type, tall_factors("svdvals", type, x, *rows).r());
    }
  }
  return make_matrices(whole, type, {x}).front();
}

std::vector<laid_out_array> make_lstsq(dtype type, const laid_out_array& a, const laid_out_array& b,
                                       double least) {
  const matrix_function whole{.name = "lstsq",
                              .kernel = &matrices::lstsq,
                              .signature = &signature_of<"(m,n),(m,c)->(n,c),(c),(),(k)">,
                              .result_extents = {{"k", matrix_extents(a.layout).size}},
                              .parameters = matrices::lstsq_parameters(least)};
  const bool are_matrices = a.layout.shape.size() == 2 && b.layout.shape.size() == 2 &&
                            a.layout.shape[0] == b.layout.shape[0];
  if (const auto rows = are_matrices ? rows_of_block(whole, type, {a, b}) : std::nullopt) {
    const index_t columns = a.layout.shape[1];
    laid_out_array r = tall_factors("lstsq", type, a, *rows, &b).r();
    r.layout.spec = common_spec("lstsq", std::array{&a.layout, &b.layout});
    const auto part = [&r](index_t first, index_t count) {
      laid_out_array columns_of_r = r;
      columns_of_r.view = seen_through(r.view, {2, {{0, 0, 1}, {1, first, 1}}});
      columns_of_r.layout.shape[1] = columns_of_r.layout.chunks[1] = count;
      return columns_of_r;
    };
    return make_lstsq(type, part(0, columns), part(columns, b.layout.shape[1]), least);
  }
  return make_matrices(whole, type, {a, b});
}

}  // namespace tessera

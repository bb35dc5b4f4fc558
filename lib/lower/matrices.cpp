// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/matrices.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/matrices.hpp"
#include "tessera/lower/blocks.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/meta/promotion.hpp"

#include "lower/operands.hpp"
#include "lower/tall.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// A function of matrices, as it goes over its operands.
class matrix_walk {
 public:
  matrix_walk(const matrix_function& what, dtype type, const std::vector<laid_out_array>& operands)
      : what_(what), kernel_(what.kernel(type)), operands_(operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const gufunc_signature::group& group = what.signature->input(i);
      const index_vector& shape = operands[i].layout.shape;
      for (std::size_t k = 0; k < group.rank; ++k) {
        has_elements_ = has_elements_ && shape[shape.size() - group.rank + k] > 0;
      }
    }
  }

  std::vector<laid_out_array> run() const {
    if (!has_elements_) return made_of_nothing();
    const block_form form = form_of(operands_);
    require_room(form);
    std::vector<array_view> views;
    for (const laid_out_array& each : operands_) views.push_back(each.view);
    const std::vector<array_handle> made =
        make_several(what_.name, kernel_, what_.parameters, form, views);
    std::vector<laid_out_array> results;
    for (std::size_t i = 0; i < made.size(); ++i) {
      results.push_back({whole_of(made[i]), form.results[i].layout});
    }
    return results;
  }

 private:
  [[nodiscard]] block_form form_of(const std::vector<laid_out_array>& operands) const {
    std::vector<const array_layout*> layouts;
    for (const laid_out_array& each : operands) layouts.push_back(&each.layout);
    return gufunc_form(what_.name, *what_.signature, layouts, what_.own);
  }

  /// Returns the results of matrices with an extent of 0, found from those with 1 in its place.
  [[nodiscard]] std::vector<laid_out_array> made_of_nothing() const {
    std::vector<laid_out_array> filled = operands_;
    for (std::size_t i = 0; i < filled.size(); ++i) {
      array_layout& layout = filled[i].layout;
      const std::size_t rank = what_.signature->input(i).rank;
      for (std::size_t axis = layout.shape.size() - rank; axis < layout.shape.size(); ++axis) {
        layout.shape[axis] = std::max<index_t>(1, layout.shape[axis]);
      }
    }
    matrix_function what = what_;
    for (named_extent& own : what.own) own.extent = std::max<index_t>(1, own.extent);
    const block_form form = matrix_walk(what, kernel_.inputs.front(), filled).form_of(filled);
    std::vector<laid_out_array> results;
    for (std::size_t i = 0; i < form.results.size(); ++i) {
      array_layout layout = form.results[i].layout;
      const gufunc_signature::group& group = what_.signature->result(i);
      for (std::size_t k = 0; k < group.rank; ++k) {
        layout.shape[layout.shape.size() - group.rank + k] = extent_of(group.letters[k]);
      }
      const double value = what_.of_nothing[std::min(i, what_.of_nothing.size() - 1)];
      const array_handle made = visit_dtype(kernel_.outputs[i], [&]<class T>(type_tag<T>) {
        return make_generated(
            what_.name, layout.shape, layout.chunks, generator::constant<T>(),
            generator::constant_parameters<T>(static_cast<T>(static_cast<real_t<T>>(value))));
      });
      layout.chunks = made->chunks;
      results.push_back({whole_of(made), layout});
    }
    return results;
  }

  /// Returns what a letter stands for.
  [[nodiscard]] index_t extent_of(std::size_t letter) const {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const gufunc_signature::group& group = what_.signature->input(i);
      const index_vector& shape = operands_[i].layout.shape;
      for (std::size_t k = 0; k < group.rank; ++k) {
        if (group.letters[k] == letter) return shape[shape.size() - group.rank + k];
      }
    }
    for (const named_extent& own : what_.own) {
      if (own.letter == what_.signature->letters[letter]) return own.extent;
    }
    return 0;
  }

  /// Returns the bytes that a task takes for matrices whose extents are `numerator` of 2^20 of
  /// those that there are.
  [[nodiscard]] double bytes_of_one(const block_form& form, index_t numerator) const {
    const auto scaled = [&](index_t extent) {
      return std::max<index_t>(1, (extent * numerator) >> 20);
    };
    block_shapes shapes{{}, {}, what_.parameters.get()};
    double bytes = 0;
    const auto add = [&](std::vector<index_vector>& to, index_vector extents, dtype type) {
      bytes += static_cast<double>(num_elements(extents)) * static_cast<double>(size_of(type));
      to.push_back(std::move(extents));
    };
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
      index_vector extents;
      for (std::size_t k = 0; k < what_.signature->input(i).rank; ++k) {
        const index_vector& shape = operands_[i].layout.shape;
        extents.push_back(scaled(shape[shape.size() - what_.signature->input(i).rank + k]));
      }
      add(shapes.inputs, std::move(extents), kernel_.inputs[i]);
    }
    for (std::size_t i = 0; i < form.results.size(); ++i) {
      index_vector extents;
      for (const block_form::made& axis : form.results[i].axes) {
        if (axis.length) extents.push_back(scaled(*axis.length));
      }
      add(shapes.outputs, std::move(extents), kernel_.outputs[i]);
    }
    return bytes + static_cast<double>(kernel_.workspace(shapes)) +
           static_cast<double>(kernel_.kept(shapes));
  }

  /// Throws memory_error where one matrix is too much for a task.
  void require_room(const block_form& form) const {
    const spec limits = limits_of(form.results.front().layout);
    const bytes room = memory_of_task(limits);
    const auto most = static_cast<double>(room.count());
    constexpr index_t whole = index_t{1} << 20;
    const double needed = bytes_of_one(form, whole);
    if (needed <= most) return;
    index_t fits = 0;
    for (index_t step = whole; step > 0; step /= 2) {
      if (bytes_of_one(form, fits + step) <= most) fits += step;
    }
    const index_vector& shape = operands_.front().layout.shape;
    const index_t rows = shape[shape.size() - 2];
    const index_t columns = shape[shape.size() - 1];
    const index_t fewer_rows = (rows * fits) >> 20;
    const index_t fewer_columns = (columns * fits) >> 20;
    const std::string smaller =
        fewer_rows > 0 && fewer_columns > 0
            ? fmt::format("matrices of {} x {} would do, or ", fewer_rows, fewer_columns)
            : "take ";
    throw memory_error(fmt::format(
        "{}: a task holds a whole matrix, and one of {} x {} {} takes {} of the {} that it may "
        "use; {}an allowed_memory above {}",
        what_.name, rows, columns, name_of(kernel_.inputs.front()),
        format_short(bytes{static_cast<std::size_t>(needed)}), format_short(room), smaller,
        format_short(bytes{static_cast<std::size_t>(needed)} + limits.reserved_memory)));
  }

  const matrix_function& what_;
  const block_kernel& kernel_;
  const std::vector<laid_out_array>& operands_;
  bool has_elements_ = true;
};

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

}  // namespace

std::vector<laid_out_array> make_matrices(const matrix_function& what, dtype type,
                                          const std::vector<laid_out_array>& operands) {
  return matrix_walk(what, type, operands).run();
}

std::vector<laid_out_array> make_lu(dtype type, const laid_out_array& x) {
  return make_matrices({.name = "lu",
                        .kernel = &matrices::lu,
                        .signature = &signature_of<"(m,n)->(m,m),(m,k),(k,n)">,
                        .own = {{"k", matrix_extents(x.layout).size}}},
                       type, {x});
}

std::vector<laid_out_array> make_qr(dtype type, const laid_out_array& x, bool is_full) {
  if (!is_full && tall_factors::is_for(x.layout)) {
    const tall_factors factors("qr", type, x);
    return {factors.q(std::nullopt), factors.r()};
  }
  const matrix_extents of(x.layout);
  return make_matrices({.name = "qr",
                        .kernel = &matrices::qr,
                        .signature = &signature_of<"(m,n)->(m,k),(k,n)">,
                        .own = {{"k", is_full ? of.rows : of.size}}},
                       type, {x});
}

std::vector<laid_out_array> make_svd(dtype type, const laid_out_array& x, bool is_full) {
  const matrix_extents of(x.layout);
  if (!is_full && of.rows < of.columns && x.layout.shape.size() == 2 &&
      tall_factors::is_for(transposed(x).layout)) {
    std::vector<laid_out_array> made = make_svd(type, transposed(x), false);
    return {transposed(made[2]), made[1], transposed(made[0])};
  }
  if (!is_full && tall_factors::is_for(x.layout)) {
    const tall_factors factors("svd", type, x);
    std::vector<laid_out_array> made = make_svd(type, factors.r(), false);
    made[0] = factors.q(made[0]);
    return made;
  }
  return make_matrices({.name = "svd",
                        .kernel = &matrices::svd,
                        .signature = &signature_of<"(m,n)->(m,u),(k),(v,n)">,
                        .own = {{"u", is_full ? of.rows : of.size},
                                {"k", of.size},
                                {"v", is_full ? of.columns : of.size}}},
                       type, {x});
}

laid_out_array make_svdvals(dtype type, const laid_out_array& x) {
  const matrix_extents of(x.layout);
  if (x.layout.shape.size() == 2) {
    if (of.rows < of.columns) return make_svdvals(type, transposed(x));
    if (tall_factors::is_for(x.layout)) {
      return make_svdvals(type, tall_factors("svdvals", type, x).r());
    }
  }
  return make_matrices({.name = "svdvals",
                        .kernel = &matrices::svdvals,
                        .signature = &signature_of<"(m,n)->(k)">,
                        .own = {{"k", of.size}}},
                       type, {x})
      .front();
}

std::vector<laid_out_array> make_lstsq(dtype type, const laid_out_array& a, const laid_out_array& b,
                                       double least) {
  if (a.layout.shape.size() == 2 && b.layout.shape.size() == 2 &&
      a.layout.shape[0] == b.layout.shape[0] && tall_factors::is_for(a.layout, b.layout.shape[1])) {
    const index_t columns = a.layout.shape[1];
    laid_out_array r = tall_factors("lstsq", type, a, &b).r();
    r.layout.spec = common_spec("lstsq", std::array{&a.layout, &b.layout});
    const auto part = [&r](index_t first, index_t count) {
      laid_out_array some = r;
      some.view = seen_through(r.view, {2, {{0, 0, 1}, {1, first, 1}}});
      some.layout.shape[1] = some.layout.chunks[1] = count;
      return some;
    };
    return make_lstsq(type, part(0, columns), part(columns, b.layout.shape[1]), least);
  }
  return make_matrices({.name = "lstsq",
                        .kernel = &matrices::lstsq,
                        .signature = &signature_of<"(m,n),(m,c)->(n,c),(c),(),(k)">,
                        .own = {{"k", matrix_extents(a.layout).size}},
                        .parameters = matrices::lstsq_parameters(least)},
                       type, {a, b});
}

}  // namespace tessera

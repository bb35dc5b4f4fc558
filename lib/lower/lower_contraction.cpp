// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/lower_contraction.hpp"

#include "tessera/expr/layout.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/lower/nodes.hpp"

#include "core/api/element_count.hpp"
#include "kernel/api/contraction_kernel.hpp"
#include "lower/letters.hpp"
#include "lower/operands.hpp"
#include "lower/product_roles.hpp"
#include "lower/product_steps.hpp"
#include "lower/product_tile.hpp"
#include "primitive/api/block_function.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// An array, and a letter for each of its axes.
struct factor {
  array_view view;
  std::string letters;
  index_vector shape;
  index_vector chunks;
};

/// The product of some arrays.
struct term {
  std::vector<factor> factors;
  /// The letters along which a factor is not broadcast, without duplicates.
  std::string letters;
};

/// Lowers an einsum to elementwise products, sums and matrix products. It repeats the first of
/// these steps that applies, until none does:
///
///   1. absorb:   a term whose letters are a subset of another term's joins that term's product;
///   2. sum:      letters of one term alone, and not of the result, are summed;
///   3. contract: two terms with inner letters become matrix products, "bmk,bkn->bmn": batch b,
///                rows m, columns n, inner k. The pair with the smallest domain is first: a greedy
///                order, as `numpy.einsum_path` has one, which depends on extents alone.
class contractor {
 public:
  contractor(std::string_view name, dtype type, const contraction_form& form,
             const index_vector& chunks, const std::vector<array_view>& operands)
      : name_(name), type_(type), kernels_(contraction::kernels_of(type)), result_(form.result) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const contraction_form::operand& operand = form.operands[i];
      for (std::size_t axis = 0; axis < operand.letters.size(); ++axis) {
        index_t& extent = extents_[operand.letters[axis]];
        if (!has_letter(letters_, operand.letters[axis]) || extent == 1) {
          extent = operand.shape[axis];
        }
        letters_ = join_letters(letters_, operand.letters.substr(axis, 1));
      }
      terms_.push_back({{{operands[i], operand.letters, operand.shape, operand.chunks}}, {}});
    }
    term product_term;
    for (term& single : terms_) {
      single.letters = significant_letters(single.factors.front());
      product_term.factors.push_back(single.factors.front());
    }
    for (const char letter : letters_) chunks_[letter] = chunk_along(product_term, letter);
    const index_vector output_chunks = clip_chunks(chunks, extents_.of(result_));
    for (std::size_t k = 0; k < result_.size(); ++k) chunks_[result_[k]] = output_chunks[k];
  }

  array_handle run() {
    while (absorb_term() || sum_private_letters() || contract_pair()) continue;
    while (terms_.size() > 1) multiply_into(1, 0);
    return materialise(name_, make_product(terms_.front(), result_), extents_.of(result_),
                       chunks_.of(result_));
  }

 private:
  /// Returns the letters along which `factor` is not broadcast, in the order of domains.
  [[nodiscard]] std::string significant_letters(const factor& factor) const {
    std::string letters;
    for (std::size_t axis = 0; axis < factor.letters.size(); ++axis) {
      if (factor.shape[axis] == extents_[factor.letters[axis]]) {
        letters = join_letters(letters, factor.letters.substr(axis, 1));
      }
    }
    return ordered(letters);
  }

  /// Returns `letters` in the order of the result, and the summed letters behind them.
  [[nodiscard]] std::string ordered(const std::string& letters) const {
    std::string result;
    for (const char letter : result_) {
      if (has_letter(letters, letter)) result += letter;
    }
    return join_letters(result, letters);
  }

  /// Returns the chunk along `letter` of the factor of `whole_term` with the largest chunks.
  [[nodiscard]] index_t chunk_along(const term& whole_term, char letter) const {
    index_t chunk = 1;
    double largest = 0;
    for (const factor& factor : whole_term.factors) {
      double elements = 1;
      for (const index_t extent : factor.chunks) elements *= static_cast<double>(extent);
      for (std::size_t axis = 0; axis < factor.letters.size(); ++axis) {
        if (factor.letters[axis] != letter || factor.shape[axis] != extents_[letter]) continue;
        if (elements > largest) chunk = factor.chunks[axis];
        largest = std::max(largest, elements);
      }
    }
    return chunk;
  }

  /// Returns the number of elements of a domain of `letters`.
  [[nodiscard]] double count_elements(const std::string& letters) const {
    double size = 1;
    for (const char letter : letters) size *= static_cast<double>(extents_[letter]);
    return size;
  }

  /// Tells whether `letter` is in the result, or in a term besides `a` and `b`.
  [[nodiscard]] bool is_used_elsewhere(char letter, std::size_t a, std::size_t b) const {
    if (has_letter(result_, letter)) return true;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (i != a && i != b && has_letter(terms_[i].letters, letter)) return true;
    }
    return false;
  }

  /// Returns `input` as a view in a domain of `letters`.
  [[nodiscard]] array_view view_in_domain(const std::string& letters, const factor& input) const {
    std::vector<axis_map> axes(input.letters.size());
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::size_t position = letters.find(input.letters[axis]);
      if (input.shape[axis] == extents_[input.letters[axis]]) axes[axis] = {position, 0, 1};
    }
    return seen_through(input.view, {letters.size(), std::move(axes)});
  }

  /// Returns the factors of `product`, multiplied, in a domain of `letters`.
  [[nodiscard]] array_view make_product(const term& product, const std::string& letters) const {
    array_view result = view_in_domain(letters, product.factors.front());
    for (std::size_t i = 1; i < product.factors.size(); ++i) {
      strip_source multiplication(result);
      multiplication.operands.push_back(view_in_domain(letters, product.factors[i]));
      multiplication.kernel = &kernels_.multiply;
      result =
          whole_of(make_map("multiply", extents_.of(letters), chunks_.of(letters), multiplication));
    }
    return result;
  }

  /// Returns the array of `letters` as a term.
  [[nodiscard]] term make_term(array_handle array, const std::string& letters) const {
    const index_vector shape = array->shape;
    const index_vector chunks = array->chunks;
    return {{{whole_of(std::move(array)), letters, shape, chunks}}, letters};
  }

  /// Multiplies term `i` into term `into`.
  void multiply_into(std::size_t i, std::size_t into) {
    term& product = terms_[into];
    const term& multiplier = terms_[i];
    product.factors.insert(product.factors.end(), multiplier.factors.begin(),
                           multiplier.factors.end());
    product.letters = ordered(join_letters(product.letters, multiplier.letters));
    terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  /// Multiplies a term into the smallest term that has all its letters. Returns whether it did.
  bool absorb_term() {
    for (std::size_t i = terms_.size(); i-- > 0;) {
      std::optional<std::size_t> smallest;
      for (std::size_t k = 0; k < terms_.size(); ++k) {
        if (k == i || !is_subset(terms_[i].letters, terms_[k].letters)) continue;
        if (smallest &&
            count_elements(terms_[k].letters) >= count_elements(terms_[*smallest].letters)) {
          continue;
        }
        smallest = k;
      }
      if (!smallest) continue;
      multiply_into(i, *smallest);
      return true;
    }
    return false;
  }

  /// Sums a term along the letters that only it has. Returns false if there are none.
  bool sum_private_letters() {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      std::string kept;
      axis_mask reduced = 0;
      const std::string letters = terms_[i].letters;
      for (std::size_t axis = 0; axis < letters.size(); ++axis) {
        if (is_used_elsewhere(letters[axis], i, i)) {
          kept += letters[axis];
        } else {
          reduced |= axis_mask{1} << axis;
        }
      }
      if (reduced == 0) continue;
      array_layout domain{extents_.of(letters), {}, nullptr};
      for (const char letter : letters) domain.chunks.push_back(chunk_along(terms_[i], letter));
      strip_sources summed;
      summed.add(strip_source(make_product(terms_[i], letters)));
      const kernel_parameters none;
      const fold_request sum{.kernel = kernels_.sum, .parameters = none, .reduced = reduced};
      terms_[i] = make_term(make_fold(name_, domain, chunks_.of(kept), sum, summed), kept);
      return true;
    }
    return false;
  }

  [[nodiscard]] letter_roles roles_of(std::size_t a, std::size_t b) const {
    letter_roles roles;
    const std::string& a_letters = terms_[a].letters;
    const std::string& b_letters = terms_[b].letters;
    for (const char letter : ordered(join_letters(a_letters, b_letters))) {
      if (!has_letter(b_letters, letter)) {
        roles.rows += letter;
      } else if (!has_letter(a_letters, letter)) {
        roles.columns += letter;
      } else if (is_used_elsewhere(letter, a, b)) {
        roles.batch += letter;
      } else {
        roles.inner += letter;
      }
    }
    return roles;
  }

  /// Replaces two terms by their matrix product. Returns false if no two terms have inner letters.
  bool contract_pair() {
    std::optional<std::pair<std::size_t, std::size_t>> best_pair;
    double best_size = 0;
    for (std::size_t a = 0; a < terms_.size(); ++a) {
      for (std::size_t b = a + 1; b < terms_.size(); ++b) {
        if (roles_of(a, b).inner.empty()) continue;
        const double size = count_elements(join_letters(terms_[a].letters, terms_[b].letters));
        if (best_pair && size >= best_size) continue;
        best_pair = {a, b};
        best_size = size;
      }
    }
    if (!best_pair) return false;
    const auto [a, b] = *best_pair;
    terms_[a] = make_contracted(a, b);
    terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(b));
    return true;
  }

  [[nodiscard]] kernel_parameters parameters_of(const letter_roles& roles,
                                                const std::string& letters) const {
    std::string several;
    for (const char letter : letters) {
      if (extents_[letter] > 1) several += letter;
    }
    const bool are_rows_last = !several.empty() && has_letter(roles.rows, several.back());
    return contraction::parameters({roles.batch.size(), roles.rows.size(), roles.columns.size(),
                                    roles.inner.size(), are_rows_last ? 1U : 0U});
  }

  /// Returns a term as a factor of a product with these `inner` letters, and others `across` them.
  [[nodiscard]] product_side side_of(const term& factor_term, const std::string& across,
                                     const std::string& inner) const {
    product_side side{element_count(chunks_.of(across)), {}, 1};
    for (const char letter : inner) side.inner_chunks.push_back(chunk_along(factor_term, letter));
    for (const char letter : factor_term.letters) {
      side.chunk_elements *= static_cast<double>(chunk_along(factor_term, letter));
    }
    return side;
  }

  [[nodiscard]] product_steps steps_of(const term& a, const term& b,
                                       const letter_roles& roles) const {
    return choose_steps({side_of(a, roles.batch + roles.rows, roles.inner),
                         side_of(b, roles.batch + roles.columns, roles.inner)},
                        static_cast<double>(automatic_chunk_bytes / size_of(type_)));
  }

  /// Returns a copy of `view`, an array of `letters`, in chunks of one step of a product.
  [[nodiscard]] array_view in_chunks_of_steps(const array_view& view, const std::string& letters,
                                              const std::string& inner,
                                              const index_vector& steps) const {
    index_vector chunks = chunks_.of(letters);
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      const std::size_t position = inner.find(letters[axis]);
      if (position != std::string::npos) chunks[axis] = steps[position];
    }
    return whole_of(materialise("rechunk", view, extents_.of(letters), chunks));
  }

  /// Returns the product over the domain `domain`, of `schedule`.
  [[nodiscard]] product_domain product_of(const letter_roles& roles, const std::string& domain,
                                          const loop_schedule& schedule) const {
    product_domain product{
        schedule.domain, schedule.step, {}, size_of(type_), !has_fraction(type_)};
    for (const char letter : domain) {
      product.roles.push_back(has_letter(roles.batch, letter)     ? product_axis::batch
                              : has_letter(roles.rows, letter)    ? product_axis::row
                              : has_letter(roles.columns, letter) ? product_axis::column
                                                                  : product_axis::inner);
    }
    return product;
  }

  [[nodiscard]] term make_zeros(const std::string& letters) const {
    const auto make = [&]<class T>(type_tag<T>) {
      return make_generated(name_, extents_.of(letters), chunks_.of(letters),
                            generator::constant<T>(), generator::constant_parameters<T>(T{}));
    };
    return make_term(visit_dtype(type_, make), letters);
  }

  [[nodiscard]] term make_contracted(std::size_t a, std::size_t b) const {
    const letter_roles roles = roles_of(a, b);
    std::string letters = ordered(roles.batch + roles.rows + roles.columns);
    // A batch letter is not last: the elements of a matrix must be contiguous.
    if (has_letter(roles.batch, letters.back())) letters = roles.batch + roles.rows + roles.columns;
    const index_vector shape = extents_.of(letters);
    const index_vector chunks = chunks_.of(letters);
    if (num_elements(extents_.of(roles.inner)) == 0) return make_zeros(letters);
    const std::string domain = letters + roles.inner;
    operation op;
    op.name = name_;
    op.schedule.domain = extents_.of(domain);
    op.schedule.block = op.schedule.step = chunks;
    const product_steps steps = steps_of(terms_[a], terms_[b], roles);
    for (const index_t step : steps.extents) op.schedule.step.push_back(step);
    for (const char letter : roles.inner) op.schedule.block.push_back(extents_[letter]);
    std::vector<array_handle> arrays;
    for (const std::size_t i : {a, b}) {
      const std::string term_letters = ordered(terms_[i].letters);
      array_view view = make_product(terms_[i], term_letters);
      if (steps.is_copied[i == a ? 0 : 1]) {
        view = in_chunks_of_steps(view, term_letters, roles.inner, steps.extents);
      }
      const factor product{view, term_letters, extents_.of(term_letters), chunks_.of(term_letters)};
      op.operands.push_back(view_in_domain(domain, product).map);
      arrays.push_back(view.array);
    }
    block_schedule blocks = blocks_of_product(roles, domain);
    blocks.tile = choose_tile(product_of(roles, domain, op.schedule));
    op.primitive = std::make_shared<const block_function>(
        kernels_.matmul, parameters_of(roles, letters), std::move(blocks));
    return make_term(make_output_array(std::move(op), std::move(arrays), shape, chunks), letters);
  }

  std::string_view name_;
  dtype type_;
  contraction::kernels kernels_;
  std::string result_;
  std::string letters_;
  letter_map extents_;
  letter_map chunks_;
  std::vector<term> terms_;
};

}  // namespace

array_handle make_contraction(std::string_view name, dtype type, const contraction_form& form,
                              const index_vector& chunks, const std::vector<array_view>& operands) {
  return contractor(name, type, form, chunks, operands).run();
}

}  // namespace tessera

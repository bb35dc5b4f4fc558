// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/contraction.hpp"

#include "tessera/expr/layout.hpp"
#include "tessera/kernel/contraction.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/primitive/blocks.hpp"

#include "lower/operands.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;

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
  /// Each letter along which it is more than broadcast, once.
  std::string letters;
};

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

/// Tells whether all of `letters` are in `others`.
bool are_in(const std::string& letters, const std::string& others) {
  return std::all_of(letters.begin(), letters.end(),
                     [&](char letter) { return has(others, letter); });
}

std::string joined(const std::string& letters, const std::string& others) {
  std::string all = letters;
  for (const char letter : others) {
    if (!has(all, letter)) all += letter;
  }
  return all;
}

/// A value for each letter.
class by_letter {
 public:
  index_t& operator[](char letter) { return values_[static_cast<unsigned char>(letter)]; }
  index_t operator[](char letter) const { return values_[static_cast<unsigned char>(letter)]; }
  [[nodiscard]] index_vector of(const std::string& letters) const {
    index_vector values;
    for (const char letter : letters) values.push_back((*this)[letter]);
    return values;
  }

 private:
  std::array<index_t, 128> values_ = [] {
    std::array<index_t, 128> ones{};
    ones.fill(1);
    return ones;
  }();
};

/// The letters of a product of two, by what they are in it. Domains have them in this order.
struct letter_kinds {
  std::string batch, rows, columns, inner;
};

/// Makes the sums of products of some arrays.
class contractor {
 public:
  contractor(std::string_view name, dtype type, const contraction_form& form,
             const index_vector& chunks, const std::vector<array_view>& operands)
      : name_(name), type_(type), kernels_(contraction::kernels_of(type)), result_(form.result) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const contraction_form::operand& of = form.operands[i];
      for (std::size_t axis = 0; axis < of.letters.size(); ++axis) {
        index_t& extent = extents_[of.letters[axis]];
        if (!has(known_, of.letters[axis]) || extent == 1) extent = of.shape[axis];
        known_ = joined(known_, of.letters.substr(axis, 1));
      }
      terms_.push_back({{{operands[i], of.letters, of.shape, of.chunks}}, {}});
    }
    term all;
    for (term& each : terms_) {
      each.letters = letters_of(each.factors.front());
      all.factors.push_back(each.factors.front());
    }
    for (const char letter : known_) chunks_[letter] = chunk_along(all, letter);
    const index_vector made = clip_chunks(chunks, extents_.of(result_));
    for (std::size_t k = 0; k < result_.size(); ++k) chunks_[result_[k]] = made[k];
  }

  array_handle run() {
    while (absorb() || sum_alone() || contract()) continue;
    while (terms_.size() > 1) absorb(1, 0);
    return materialise(name_, product(terms_.front(), result_), extents_.of(result_),
                       chunks_.of(result_));
  }

 private:
  /// Returns the letters along which `of` is more than broadcast, in the order of domains.
  [[nodiscard]] std::string letters_of(const factor& of) const {
    std::string letters;
    for (std::size_t axis = 0; axis < of.letters.size(); ++axis) {
      if (of.shape[axis] == extents_[of.letters[axis]]) {
        letters = joined(letters, of.letters.substr(axis, 1));
      }
    }
    return ordered(letters);
  }

  /// Returns `letters` as the result has them, and those that it has not behind.
  [[nodiscard]] std::string ordered(const std::string& letters) const {
    std::string made;
    for (const char letter : result_) {
      if (has(letters, letter)) made += letter;
    }
    return joined(made, letters);
  }

  /// Returns the chunk of `of` along `letter`: that of the factor of the largest chunks that has
  /// it.
  [[nodiscard]] index_t chunk_along(const term& of, char letter) const {
    index_t chunk = 1;
    double largest = 0;
    for (const factor& each : of.factors) {
      double elements = 1;
      for (const index_t extent : each.chunks) elements *= static_cast<double>(extent);
      for (std::size_t axis = 0; axis < each.letters.size(); ++axis) {
        if (each.letters[axis] != letter || each.shape[axis] != extents_[letter]) continue;
        if (elements > largest) chunk = each.chunks[axis];
        largest = std::max(largest, elements);
      }
    }
    return chunk;
  }

  /// Returns how many elements a domain of `letters` has.
  [[nodiscard]] double size_of_domain(const std::string& letters) const {
    double size = 1;
    for (const char letter : letters) size *= static_cast<double>(extents_[letter]);
    return size;
  }

  /// Tells whether `letter` is in the result, or in a term besides `a` and `b`.
  [[nodiscard]] bool is_elsewhere(char letter, std::size_t a, std::size_t b) const {
    if (has(result_, letter)) return true;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (i != a && i != b && has(terms_[i].letters, letter)) return true;
    }
    return false;
  }

  /// Returns `of` seen from a domain of `letters`.
  [[nodiscard]] array_view seen_from(const std::string& letters, const factor& of) const {
    std::vector<axis_map> axes(of.letters.size());
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::size_t place = letters.find(of.letters[axis]);
      if (of.shape[axis] == extents_[of.letters[axis]]) axes[axis] = {place, 0, 1};
    }
    return seen_through(of.view, {letters.size(), std::move(axes)});
  }

  /// Returns the product `of` over a domain of `letters`.
  [[nodiscard]] array_view product(const term& of, const std::string& letters) const {
    array_view made = seen_from(letters, of.factors.front());
    for (std::size_t i = 1; i < of.factors.size(); ++i) {
      strip_source both(made);
      both.operands.push_back(seen_from(letters, of.factors[i]));
      both.kernel = &kernels_.multiply;
      made = whole_of(make_map("multiply", extents_.of(letters), chunks_.of(letters), both));
    }
    return made;
  }

  /// Returns the array of `letters` as a term.
  [[nodiscard]] term made_of(array_handle array, const std::string& letters) const {
    const index_vector shape = array->shape;
    const index_vector chunks = array->chunks;
    return {{{whole_of(std::move(array)), letters, shape, chunks}}, letters};
  }

  /// Multiplies term `i` into term `into`.
  void absorb(std::size_t i, std::size_t into) {
    term& product = terms_[into];
    const term& other = terms_[i];
    product.factors.insert(product.factors.end(), other.factors.begin(), other.factors.end());
    product.letters = ordered(joined(product.letters, other.letters));
    terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  /// Multiplies a term that has no letters of its own into the least that has its letters.
  bool absorb() {
    for (std::size_t i = terms_.size(); i-- > 0;) {
      std::optional<std::size_t> least;
      for (std::size_t k = 0; k < terms_.size(); ++k) {
        if (k == i || !are_in(terms_[i].letters, terms_[k].letters)) continue;
        if (least && size_of_domain(terms_[k].letters) >= size_of_domain(terms_[*least].letters)) {
          continue;
        }
        least = k;
      }
      if (!least) continue;
      absorb(i, *least);
      return true;
    }
    return false;
  }

  /// Sums a term along letters that nothing else has.
  bool sum_alone() {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      std::string kept;
      axis_mask reduced = 0;
      const std::string letters = terms_[i].letters;
      for (std::size_t axis = 0; axis < letters.size(); ++axis) {
        if (is_elsewhere(letters[axis], i, i)) {
          kept += letters[axis];
        } else {
          reduced |= axis_mask{1} << axis;
        }
      }
      if (reduced == 0) continue;
      array_layout domain{extents_.of(letters), {}, nullptr};
      for (const char letter : letters) domain.chunks.push_back(chunk_along(terms_[i], letter));
      strip_sources summed;
      summed.add(strip_source(product(terms_[i], letters)));
      const kernel_parameters none;
      const fold_request sum{.kernel = kernels_.sum, .parameters = none, .reduced = reduced};
      terms_[i] = made_of(make_fold(name_, domain, chunks_.of(kept), sum, summed), kept);
      return true;
    }
    return false;
  }

  [[nodiscard]] letter_kinds kinds_of(std::size_t a, std::size_t b) const {
    letter_kinds kinds;
    const std::string& of_a = terms_[a].letters;
    const std::string& of_b = terms_[b].letters;
    for (const char letter : ordered(joined(of_a, of_b))) {
      if (!has(of_b, letter)) {
        kinds.rows += letter;
      } else if (!has(of_a, letter)) {
        kinds.columns += letter;
      } else if (is_elsewhere(letter, a, b)) {
        kinds.batch += letter;
      } else {
        kinds.inner += letter;
      }
    }
    return kinds;
  }

  /// Puts the product of two terms, summed along what only they share, in their place.
  bool contract() {
    std::optional<std::pair<std::size_t, std::size_t>> best;
    double least = 0;
    for (std::size_t a = 0; a < terms_.size(); ++a) {
      for (std::size_t b = a + 1; b < terms_.size(); ++b) {
        if (kinds_of(a, b).inner.empty()) continue;
        const double terms = size_of_domain(joined(terms_[a].letters, terms_[b].letters));
        if (best && terms >= least) continue;
        best = {a, b};
        least = terms;
      }
    }
    if (!best) return false;
    const auto [a, b] = *best;
    terms_[a] = contracted(a, b);
    terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(b));
    return true;
  }

  /// Returns in which steps the product of `a` and `b` goes along `letters`, which are summed: the
  /// longer chunk of both, as long as that makes neither's blocks very large.
  [[nodiscard]] index_vector steps(const term& a, const term& b, const letter_kinds& kinds) const {
    index_vector longer;
    index_vector shorter;
    for (const char letter : kinds.inner) {
      const index_t of_a = chunk_along(a, letter);
      const index_t of_b = chunk_along(b, letter);
      longer.push_back(std::max(of_a, of_b));
      shorter.push_back(std::min(of_a, of_b));
    }
    const auto count = [](const index_vector& extents) {
      double elements = 1;
      for (const index_t extent : extents) elements *= static_cast<double>(extent);
      return elements;
    };
    const auto limit = static_cast<double>(automatic_chunk_bytes / size_of(type_));
    const auto is_large = [&](const term& of, const std::string& across) {
      double own = 1;
      for (const char letter : of.letters) own *= static_cast<double>(chunk_along(of, letter));
      return count(longer) * count(chunks_.of(across)) > std::max(limit, own);
    };
    const bool are_large =
        is_large(a, kinds.batch + kinds.rows) || is_large(b, kinds.batch + kinds.columns);
    return are_large ? shorter : longer;
  }

  [[nodiscard]] term contracted(std::size_t a, std::size_t b) const {
    const letter_kinds kinds = kinds_of(a, b);
    std::string letters = ordered(kinds.batch + kinds.rows + kinds.columns);
    // Elements of a matrix must lie side by side.
    if (has(kinds.batch, letters.back())) letters = kinds.batch + kinds.rows + kinds.columns;
    const index_vector shape = extents_.of(letters);
    const index_vector chunks = chunks_.of(letters);
    if (num_elements(extents_.of(kinds.inner)) == 0) {
      return made_of(visit_dtype(type_,
                                 [&]<class T>(type_tag<T>) {
                                   return make_generated(name_, shape, chunks,
                                                         generator::constant<T>(),
                                                         generator::constant_parameters<T>(T{}));
                                 }),
                     letters);
    }
    const std::string domain = letters + kinds.inner;
    operation what;
    what.name = name_;
    what.how.domain = extents_.of(domain);
    what.how.block = chunks;
    what.how.stream = chunks;
    for (const index_t step : steps(terms_[a], terms_[b], kinds)) what.how.stream.push_back(step);
    for (const char letter : kinds.inner) what.how.block.push_back(extents_[letter]);
    block_walk how;
    how.inputs = {axes_in(domain, kinds.batch + kinds.rows + kinds.inner),
                  axes_in(domain, kinds.batch + kinds.inner + kinds.columns)};
    how.outputs.emplace_back();
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      how.outputs.front().axes.push_back({axis_kind::along, axis});
    }
    for (const char letter : kinds.batch + kinds.rows + kinds.columns) {
      how.outputs.front().order.push_back(letters.find(letter));
    }
    for (std::size_t axis = letters.size(); axis < domain.size(); ++axis) how.streamed.set(axis);
    std::vector<array_handle> arrays;
    for (const std::size_t i : {a, b}) {
      const std::string own = ordered(terms_[i].letters);
      const array_view view = product(terms_[i], own);
      what.operands.push_back(
          seen_from(domain, {view, own, extents_.of(own), chunks_.of(own)}).map);
      arrays.push_back(view.array);
    }
    what.body = std::make_shared<const block_function>(
        kernels_.matmul,
        contraction::parameters(
            {kinds.batch.size(), kinds.rows.size(), kinds.columns.size(), kinds.inner.size()}),
        std::move(how));
    return made_of(array_made_by(std::move(what), std::move(arrays), shape, chunks), letters);
  }

  static std::vector<block_axis> axes_in(const std::string& domain, const std::string& letters) {
    std::vector<block_axis> axes;
    for (const char letter : letters) axes.push_back({domain.find(letter)});
    return axes;
  }

  std::string_view name_;
  dtype type_;
  contraction::kernels kernels_;
  std::string result_;
  std::string known_;
  by_letter extents_;
  by_letter chunks_;
  std::vector<term> terms_;
};

}  // namespace

array_handle make_contraction(std::string_view name, dtype type, const contraction_form& form,
                              const index_vector& chunks, const std::vector<array_view>& operands) {
  return contractor(name, type, form, chunks, operands).run();
}

}  // namespace tessera

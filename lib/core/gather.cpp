// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tables of indices, and the composition of two gathers.
///
/// Problem: `take(reshape(x, shape), indices)` is a gather of a gather. One composed gather reads
/// `x` once. `joined(outer, inner)` maps an index by `inner`, then by `outer`.
///
/// Idea: a gather is a list of factors. Each factor leads from axes of the domain to axes that are
/// read. The axes that the inner gather reads are the domain of the outer gather. `joined` advances
/// along both lists until a run of inner factors and a run of outer factors end at the same axis:
///
///     axes between      0   1   2
///     inner factors   | A     | B |      first pair of runs: A with C and D
///     outer factors   | C | D | E |      second pair: B with E
///
/// A pair of runs becomes one factor if each run is one factor, or if all factors of one run are
/// plain: they keep their indices. Other pairs stay two gathers.
#include "core/api/gather.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace tessera {

namespace {

void append(index_vector& to, const index_vector& values) {
  for (const index_t value : values) to.push_back(value);
}

std::shared_ptr<const index_table> composed_table(const gathered_axes& outer,
                                                  const gathered_axes& inner) {
  if (outer.table == nullptr) return inner.table;
  if (inner.table == nullptr) return outer.table;
  std::vector<index_t> values;
  values.reserve(inner.table->size());
  for (const index_t index : inner.table->values()) values.push_back((*outer.table)[index]);
  return std::make_shared<const index_table>(std::move(values));
}

/// Consecutive factors of a gather that are composed as a unit.
class factor_run {
 public:
  factor_run(const std::vector<gathered_axes>& factors, index_vector gathered_axes::*side)
      : factors_(factors), side_(side) {}

  [[nodiscard]] bool is_done() const { return next_ == factors_.size(); }
  [[nodiscard]] std::size_t length() const { return length_; }
  void begin() {
    factors_of_run_.clear();
    length_ = 0;
  }
  void take() {
    factors_of_run_.push_back(&factors_[next_++]);
    length_ += (factors_of_run_.back()->*side_).size();
  }
  [[nodiscard]] bool is_plain() const {
    return std::all_of(factors_of_run_.begin(), factors_of_run_.end(),
                       [](const gathered_axes* factor) { return factor->is_plain(); });
  }
  /// Returns the factor of a run of length 1, or nullptr.
  [[nodiscard]] const gathered_axes* only() const {
    return factors_of_run_.size() == 1 ? factors_of_run_.front() : nullptr;
  }

 private:
  const std::vector<gathered_axes>& factors_;
  index_vector gathered_axes::*side_;
  std::size_t next_ = 0;
  std::size_t length_ = 0;
  std::vector<const gathered_axes*> factors_of_run_;
};

}  // namespace

index_table::index_table(std::vector<index_t> values)
    : index_table(std::make_shared<const std::vector<index_t>>(std::move(values)), {}) {
  const auto& stored = *static_cast<const std::vector<index_t>*>(owner_.get());
  *this = index_table(owner_, std::span(stored));
}

index_table::index_table(std::shared_ptr<const void> owner, std::span<const index_t> values)
    : owner_(std::move(owner)), values_(values) {
  if (values.empty()) return;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  least_ = *least;
  greatest_ = *greatest;
  if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end()) {
    return;
  }
  std::vector<index_t> in_order(values.begin(), values.end());
  std::sort(in_order.begin(), in_order.end());
  is_distinct_ = std::adjacent_find(in_order.begin(), in_order.end()) == in_order.end();
}

bool index_table::operator==(const index_table& rhs) const {
  return values_.data() == rhs.values_.data()
             ? values_.size() == rhs.values_.size()
             : std::equal(values_.begin(), values_.end(), rhs.values_.begin(), rhs.values_.end());
}

bool gathered_axes::is_plain() const {
  return table == nullptr && domain.size() == 1 && domain == read;
}

bool gathered_axes::operator==(const gathered_axes& rhs) const {
  return domain == rhs.domain && read == rhs.read && (table == nullptr) == (rhs.table == nullptr) &&
         (table == nullptr || *table == *rhs.table);
}

gather::gather(std::vector<gathered_axes> factors, index_map into)
    : factors_(std::move(factors)), into_(std::move(into)) {
  for (const gathered_axes& factor : factors_) {
    const index_t domain_size = num_elements(factor.domain);
    const index_t num_read = num_elements(factor.read);
    if (factor.table == nullptr ? domain_size != num_read
                                : static_cast<index_t>(factor.table->size()) != domain_size ||
                                      !factor.table->is_within(num_read)) {
      throw shape_error(fmt::format(
          "a gather shows {} elements of {}; without a table the two numbers must be equal, and a "
          "table must have an index of the second for each of the first",
          domain_size, num_read));
    }
    append(domain_, factor.domain);
    append(read_, factor.read);
  }
  const bool is_simple = into_.gather() == nullptr &&
                         std::all_of(into_.axes().begin(), into_.axes().end(),
                                     [](const axis_map& m) { return m.terms().size() <= 1; });
  if (into_.domain_rank() != read_.size() || !is_simple) {
    throw shape_error(
        "the map of a gather must lead from the axes that its factors read to an array, and each "
        "axis of the array depends on at most one of them");
  }
}

bool gather::is_injective() const {
  return into_.is_injective(read_) &&
         std::all_of(factors_.begin(), factors_.end(), [](const gathered_axes& factor) {
           return factor.table == nullptr || factor.table->is_distinct();
         });
}

bool gather::has_tables() const {
  return std::any_of(factors_.begin(), factors_.end(),
                     [](const gathered_axes& factor) { return factor.table != nullptr; });
}

bool gather::is_beside(std::size_t axis, std::span<const std::size_t> others) const {
  std::size_t start = 0;
  std::size_t factor = 0;
  while (axis >= start + factors_[factor].domain.size()) start += factors_[factor++].domain.size();
  const std::size_t stop = start + factors_[factor].domain.size();
  return std::any_of(others.begin(), others.end(), [start, stop](std::size_t beside) {
    return start <= beside && beside < stop;
  });
}

bool gather::operator==(const gather& rhs) const {
  return factors_ == rhs.factors_ && into_ == rhs.into_;
}

std::optional<gather> joined(const gather& outer, const gather& inner) {
  if (!inner.into().is_identity()) return std::nullopt;
  // A piece of an array may show an axis of another extent, of which it reads a part.
  if (inner.read() != outer.domain()) return std::nullopt;
  std::vector<gathered_axes> factors;
  factor_run inner_run(inner.factors(), &gathered_axes::read);
  factor_run outer_run(outer.factors(), &gathered_axes::domain);
  while (!inner_run.is_done() || !outer_run.is_done()) {
    inner_run.begin();
    outer_run.begin();
    do {
      const bool is_inner_shorter = inner_run.length() <= outer_run.length();
      factor_run& shorter = is_inner_shorter ? inner_run : outer_run;
      factor_run& longer = is_inner_shorter ? outer_run : inner_run;
      factor_run& extended = shorter.is_done() ? longer : shorter;
      if (extended.is_done()) return std::nullopt;
      extended.take();
    } while (inner_run.length() != outer_run.length());
    const gathered_axes* const inner_factor = inner_run.only();
    const gathered_axes* const outer_factor = outer_run.only();
    if (inner_factor != nullptr && outer_factor != nullptr) {
      factors.push_back(
          {inner_factor->domain, outer_factor->read, composed_table(*outer_factor, *inner_factor)});
    } else if (inner_factor != nullptr && outer_run.is_plain()) {
      factors.push_back(*inner_factor);
    } else if (outer_factor != nullptr && inner_run.is_plain()) {
      factors.push_back(*outer_factor);
    } else {
      return std::nullopt;
    }
  }
  return gather(std::move(factors), outer.into());
}

}  // namespace tessera

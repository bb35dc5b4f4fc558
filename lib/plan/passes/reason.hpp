// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refusals: why passes leave operations as they are.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {

/// A figure of a refusal: a size, a time or a count.
class refusal_figure {
 public:
  refusal_figure() = default;
  refusal_figure(bytes size) : value_(static_cast<double>(size.count())), unit_(unit::size) {}
  refusal_figure(costs::seconds time) : value_(time.count()), unit_(unit::time) {}
  template <std::integral T>
  refusal_figure(T count) : value_(static_cast<double>(count)) {}
  /// A count that may exceed all integers.
  refusal_figure(double count) : value_(count) {}

  [[nodiscard]] std::string text() const;

 private:
  enum class unit : std::uint8_t { count, size, time };
  double value_ = 0;
  unit unit_ = unit::count;
};

/// The names that a refusal's text may have: the operation that is left, and its partner, if the
/// rewrite is one of two operations. One of the two may produce an operand of the other.
struct refusal_names {
  std::string op = {};
  std::string partner = {};
  std::string reader = {};
  std::string producer = {};
};

/// The reason why a pass refuses to rewrite an operation; null: it does not refuse.
///
/// Cheap to create, as few refusals are printed: names and figures become text on demand. The text
/// states the rule, with "{op}" and "{partner}", or "{reader}" and "{producer}", for the names.
class reason {
 public:
  reason(std::nullptr_t = nullptr) {}
  reason(const char* rule) : rule_(rule) {}
  /// `figures` has a "{}" for each of one or two figures, and may name a remedy.
  reason(const char* rule, const char* figures, refusal_figure first, refusal_figure second = {})
      : rule_(rule), figures_(figures), first_(first), second_(second) {}

  [[nodiscard]] explicit operator bool() const { return rule_ != nullptr; }
  [[nodiscard]] bool operator==(std::nullptr_t) const { return rule_ == nullptr; }

  [[nodiscard]] bool has_figures() const { return figures_ != nullptr; }

  /// Returns the refusal with names and figures: "'mean(u)' and 'u - 1' would read more together:
  /// 45.6 GB in place of 30.4 GB".
  [[nodiscard]] std::string text(const refusal_names& names) const;

 private:
  const char* rule_ = nullptr;
  const char* figures_ = nullptr;
  refusal_figure first_;
  refusal_figure second_;
};

/// Refusals that several passes share.
inline constexpr const char* operand_is_requested =
    "{reader} reads a requested result of {producer}; only intermediates are fused away";
inline constexpr const char* operand_is_materialized =
    "the search found a better plan in which {reader} reads the output of {producer}";
inline constexpr const char* operand_has_other_readers =
    "{reader} is not the only reader of the output of {producer}";
inline constexpr const char* views_cannot_be_composed =
    "the view by which {reader} reads the output of {producer} cannot be composed with the pieces "
    "of {producer}";
inline constexpr const char* input_is_distributed =
    "an input of {op} lies in the memory of several processes";
inline constexpr const char* input_of_producer_is_distributed =
    "an input of {producer} lies in the memory of several processes";
inline constexpr const char* no_repeated_reads = "{op} and {partner} read no chunk twice";
inline constexpr const char* no_primitive_does_both =
    "no primitive does the work of both {op} and {partner}";

/// The refusal of every pass once the budget of the search is spent.
inline constexpr const char* search_is_over =
    "planning has priced as many operands as it may (100,000, and 400 for each array and "
    "operation); {op} is left as it is";

/// Returns the refusal that the operation of `producer` has several outputs.
[[nodiscard]] inline reason has_other_outputs(std::size_t num_outputs) {
  return {"{producer} has other outputs than the operand of {reader}", "{} in all", num_outputs};
}

/// Returns the refusal that fused operations would have `num_tasks`, and `wanted` are worthwhile.
[[nodiscard]] inline reason fewer_workers_busy(index_t num_tasks, index_t wanted) {
  return {"{op} and {partner} in one operation would leave workers without a task",
          "{} tasks in place of {}", num_tasks, wanted};
}

/// Returns the refusal that `after` bytes would be read, more than `before`.
[[nodiscard]] inline reason reads_more(bytes after, bytes before) {
  return {"{op} and {partner} in one operation would read more", "{} in place of {}", after,
          before};
}

}  // namespace tessera

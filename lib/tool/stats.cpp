// SPDX-License-Identifier: Apache-2.0
/// \file
/// Statistics of the elements of arrays: all but quantiles in one pass over each array.
#include "tessera/array/any_array.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/run_time_elementwise.hpp"
#include "tessera/core/error.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/function/choice.hpp"
#include "tessera/function/counted_where.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/quantiles.hpp"
#include "tessera/function/sums.hpp"

#include "tool/array_nodes.hpp"
#include "tool/commands.hpp"
#include "tool/print_json.hpp"
#include "tool/ranked.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

namespace tessera::tool {

namespace {

using json = nlohmann::ordered_json;

/// The statistics of the elements that are not missing.
struct statistics {
  /// Numbers of the array's kind: integers, or floats.
  json least;
  json greatest;
  double mean = 0;
  double stddev = 0;
  index_t count = 0;
  /// In the order in which they were asked for.
  std::vector<double> quantiles = {};
};

/// The elements that are taken together: all, or the elements at each index of an axis.
struct grouping {
  /// The axis of the array, or nullopt.
  std::optional<std::size_t> axis;
  /// The number of groups, and of elements in each.
  index_t count = 1;
  index_t size = 0;
};

grouping grouping_of(const index_vector& shape, std::optional<std::size_t> axis) {
  const index_t size = num_elements(shape);
  if (!axis) return {axis, 1, size};
  const index_t count = shape[*axis];
  return {axis, count, count == 0 ? 0 : size / count};
}

/// Returns the axis of a name or a number, or nullopt if the array has no such axis.
std::optional<std::size_t> axis_named(const std::string& wanted, const any_array& x) {
  const std::vector<std::string> names = x.shown().layout.names.list(x.rank());
  const auto named = std::ranges::find(names, wanted);
  if (named != names.end()) return static_cast<std::size_t>(named - names.begin());
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = failure == std::errc{} && end == wanted.data() + wanted.size();
  return is_number && number < x.rank() ? std::optional(number) : std::nullopt;
}

/// Returns the number that marks missing elements, or nullopt if the attribute is no number.
std::optional<any_operand> mark_of(const attribute_value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return any_operand(*integer);
  if (const auto* real = std::get_if<double>(&value)) return any_operand(*real);
  return std::nullopt;
}

/// Returns the condition that an element of `x` is not missing.
any_array is_present(const any_array& x) {
  any_array present = x == x;  // no NaN
  for (const char* name : {"_FillValue", "missing_value"}) {
    const attribute_value* value = x.attributes().find(name);
    if (value == nullptr) continue;
    if (const auto mark = mark_of(*value)) {
      present = present && elementwise("not_equal", {x, *mark});
    }
  }
  return present;
}

/// Returns the type in which elements are compared: the greatest of their kind.
dtype widest_of(dtype type) {
  if (has_fraction(type)) return dtype::float64;
  return type == dtype::uint64 ? type : dtype::int64;
}

/// All axes of an array of the common rank but the first.
constexpr auto inner_axes = axis<1, 2, 3, 4, 5, 6, 7, 8>;
static_assert(common_rank == 9);

/// Returns `x`, of the common rank, with the axis of groups in front. Without one, the first axis
/// has one index.
template <class T>
array<T, common_rank> groups_first(const array<T, common_rank>& x, std::size_t rank,
                                   const grouping& groups) {
  if (!groups.axis) return x;
  const std::size_t axis = common_rank - rank + *groups.axis;
  std::array<std::size_t, common_rank> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(axis),
              order.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  return array<T, common_rank>(
      make_view<common_rank>("moveaxis", x, map_permuted(x.layout().shape, order)));
}

template <class T>
std::vector<statistics> statistics_of(const any_array& x, const grouping& groups,
                                      const std::vector<double>& quantiles) {
  const any_array elements = with_common_rank(x);
  const auto typed = [&]<class U>(const any_array& from, type_tag<U>) {
    return groups_first(from.as<U, common_rank>(), x.rank(), groups);
  };
  const auto values = typed(astype(elements, dtype_of<T>), type_tag<T>{});
  const auto numbers = typed(astype(elements, dtype::float64), type_tag<double>{});
  const auto present = typed(with_common_rank(is_present(x)), type_tag<bool>{});
  const auto [least, greatest, mean_value, deviation, count] =
      plan(min(values, inner_axes, where(present)), max(values, inner_axes, where(present)),
           mean(numbers, inner_axes, where(present)), stddev(numbers, inner_axes, where(present)),
           sum(astype<std::int64_t>(present), inner_axes))
          .compute();
  std::vector<statistics> result(static_cast<std::size_t>(groups.count));
  for (index_t i = 0; i < groups.count; ++i) {
    if (count(i) == 0) continue;
    result[static_cast<std::size_t>(i)] = {least(i), greatest(i), mean_value(i), deviation(i),
                                           count(i)};
  }
  if (quantiles.empty()) return result;
  const auto sorted =
      nanquantile(where(present, numbers, std::nan("")), quantiles, inner_axes).compute();
  for (index_t i = 0; i < groups.count; ++i) {
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
      result[static_cast<std::size_t>(i)].quantiles.push_back(sorted(static_cast<index_t>(k), i));
    }
  }
  return result;
}

std::vector<statistics> statistics_of(const any_array& x, const grouping& groups,
                                      const std::vector<double>& quantiles) {
  if (groups.size == 0) {
    statistics none;
    none.quantiles.assign(quantiles.size(), std::nan(""));
    return std::vector<statistics>(static_cast<std::size_t>(groups.count), none);
  }
  switch (widest_of(x.dtype())) {
    case dtype::float64:
      return statistics_of<double>(x, groups, quantiles);
    case dtype::uint64:
      return statistics_of<std::uint64_t>(x, groups, quantiles);
    default:
      return statistics_of<std::int64_t>(x, groups, quantiles);
  }
}

/// Returns the members of `values`, a group of `size` elements.
json json_of(const statistics& values, index_t size, const std::vector<double>& quantiles) {
  const bool has_values = values.count > 0;
  json group{{"min", values.least},
             {"max", values.greatest},
             {"mean", has_values ? json(values.mean) : json()},
             {"stddev", has_values ? json(values.stddev) : json()},
             {"count", values.count},
             {"missing", size - values.count}};
  for (std::size_t k = 0; k < quantiles.size(); ++k) {
    group["quantiles"][fmt::format("{}", quantiles[k])] =
        has_values ? json(values.quantiles[k]) : json();
  }
  return group;
}

/// Returns the reason for which an array has no statistics, or "".
std::string reason_without(const any_array& x, const statistics_options& options) {
  if (!x.stored().stored_type().element()) return "the elements are no numbers";
  if (is_complex(x.dtype())) return "complex numbers have no order";
  if (options.by.empty() || axis_named(options.by, x)) return "";
  return fmt::format("it has no dimension '{}'", options.by);
}

json json_of(const std::string& path, const any_array& x, const statistics_options& options) {
  json entry{{"path", path},
             {"dtype", x.stored().stored_type().to_json()},
             {"shape", std::vector<index_t>(x.shape().begin(), x.shape().end())}};
  if (x.stored().stored_type().element()) entry["dtype"] = std::string(name_of(x.dtype()));
  if (const std::string reason = reason_without(x, options); !reason.empty()) {
    entry["reason"] = reason;
    return entry;
  }
  const auto axis = options.by.empty() ? std::nullopt : axis_named(options.by, x);
  const grouping groups = grouping_of(x.shape(), axis);
  const auto values = statistics_of(x, groups, options.quantiles);
  if (!axis) {
    entry.update(json_of(values.front(), groups.size, options.quantiles));
    return entry;
  }
  entry["by"] = options.by;
  entry["groups"] = json::array();
  for (const statistics& group : values) {
    entry["groups"].push_back(json_of(group, groups.size, options.quantiles));
  }
  return entry;
}

/// Returns the text of a figure: an element of single precision in the fewest digits that tell it.
std::string text_of(const json& figure, bool is_single) {
  if (figure.is_null()) return "none";
  return is_single ? fmt::format("{}", figure.get<float>()) : figure.dump();
}

/// Returns the figures of a group in a line.
std::string line_of(const json& group, bool is_single) {
  std::string line = fmt::format("min {}  max {}  mean {}  stddev {}  count {}  missing {}",
                                 text_of(group["min"], is_single), text_of(group["max"], is_single),
                                 text_of(group["mean"], false), text_of(group["stddev"], false),
                                 group["count"].dump(), group["missing"].dump());
  if (!group.contains("quantiles")) return line;
  for (const auto& [q, value] : group["quantiles"].items()) {
    line += fmt::format("  q{} {}", q, text_of(value, is_single));
  }
  return line;
}

/// Prints one array: its name and type, and a line for each group.
void print_entry(const json& entry, const std::string& name) {
  std::cout << fmt::format("{}  {} ({})\n", name, entry["dtype"].get<std::string>(),
                           fmt::join(entry["shape"].get<std::vector<index_t>>(), ", "));
  const bool is_single = entry["dtype"] == "float32";
  if (entry.contains("reason")) {
    std::cout << "  " << entry["reason"].get<std::string>() << '\n';
  } else if (!entry.contains("groups")) {
    std::cout << "  " << line_of(entry, is_single) << '\n';
  } else {
    std::size_t index = 0;
    for (const json& group : entry["groups"]) {
      std::cout << fmt::format("  {} {}: {}\n", entry["by"].get<std::string>(), index++,
                               line_of(group, is_single));
    }
  }
}

/// Throws value_error if an array was named alone and has no dimension to group by.
void require_groups(const json& entries, const statistics_options& options) {
  if (options.by.empty()) return;
  const auto has_groups = [](const json& entry) { return entry.contains("groups"); };
  if (std::ranges::any_of(entries, has_groups)) return;
  throw value_error(
      fmt::format("--by: no array of numbers at '{}' has a dimension '{}'; tessera inspect shows "
                  "their names, and a number counts axes from 0",
                  options.path, options.by));
}

}  // namespace

int stats(const statistics_options& options) {
  const opened_nodes nodes = open_nodes(options.path);
  auto entries = json::array();
  for (const node& member : nodes.tree.nodes) {
    if (member.kind != node_kind::array) continue;
    entries.push_back(
        json_of(member.path, open_array(nodes, member.path, options.missing), options));
    if (!options.is_json) {
      print_entry(entries.back(), member.path.empty() ? options.path : member.path);
    }
  }
  require_groups(entries, options);
  if (options.is_json) print_json(entries);
  return 0;
}

}  // namespace tessera::tool

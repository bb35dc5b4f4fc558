// SPDX-License-Identifier: Apache-2.0
/// \file
/// Statistics of the elements of arrays, each array in one pass.
#include "tessera/array/any_array.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/run_time_elementwise.hpp"
#include "tessera/function/counted_where.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/sums.hpp"

#include "tool/array_nodes.hpp"
#include "tool/commands.hpp"
#include "tool/print_json.hpp"
#include "tool/ranked.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
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
};

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

template <class T>
statistics statistics_of(const any_array& x) {
  const any_array elements = with_common_rank(x);
  const auto values = astype(elements, dtype_of<T>).template as<T, common_rank>();
  const auto numbers = astype(elements, dtype::float64).as<double, common_rank>();
  const auto present = with_common_rank(is_present(x)).as<bool, common_rank>();
  const auto [least, greatest, mean_value, deviation, count] =
      plan(min(values, where(present)), max(values, where(present)), mean(numbers, where(present)),
           stddev(numbers, where(present)), sum(astype<std::int64_t>(present)))
          .compute();
  if (count() == 0) return {};
  return {least(), greatest(), mean_value(), deviation(), count()};
}

statistics statistics_of(const any_array& x) {
  if (num_elements(x.shape()) == 0) return {};
  switch (widest_of(x.dtype())) {
    case dtype::float64:
      return statistics_of<double>(x);
    case dtype::uint64:
      return statistics_of<std::uint64_t>(x);
    default:
      return statistics_of<std::int64_t>(x);
  }
}

json json_of(const std::string& path, const any_array& x) {
  json entry{{"path", path},
             {"dtype", x.stored().stored_type().to_json()},
             {"shape", std::vector<index_t>(x.shape().begin(), x.shape().end())}};
  if (!x.stored().stored_type().element()) {
    entry["reason"] = "the elements are no numbers";
    return entry;
  }
  entry["dtype"] = std::string(name_of(x.dtype()));
  if (is_complex(x.dtype())) {
    entry["reason"] = "complex numbers have no order";
    return entry;
  }
  const statistics values = statistics_of(x);
  const bool has_values = values.count > 0;
  entry["min"] = values.least;
  entry["max"] = values.greatest;
  entry["mean"] = has_values ? json(values.mean) : json();
  entry["stddev"] = has_values ? json(values.stddev) : json();
  entry["count"] = values.count;
  entry["missing"] = num_elements(x.shape()) - values.count;
  return entry;
}

/// Returns the text of a figure: an element of single precision in the fewest digits that tell it.
std::string text_of(const json& figure, bool is_single) {
  if (figure.is_null()) return "none";
  return is_single ? fmt::format("{}", figure.get<float>()) : figure.dump();
}

/// Prints one array in two lines.
void print_entry(const json& entry, const std::string& name) {
  std::cout << fmt::format("{}  {} ({})\n  ", name, entry["dtype"].get<std::string>(),
                           fmt::join(entry["shape"].get<std::vector<index_t>>(), ", "));
  if (entry.contains("reason")) {
    std::cout << entry["reason"].get<std::string>() << '\n';
    return;
  }
  const bool is_single = entry["dtype"] == "float32";
  std::cout << fmt::format("min {}  max {}  mean {}  stddev {}  count {}  missing {}\n",
                           text_of(entry["min"], is_single), text_of(entry["max"], is_single),
                           text_of(entry["mean"], false), text_of(entry["stddev"], false),
                           entry["count"].dump(), entry["missing"].dump());
}

}  // namespace

int stats(const statistics_options& options) {
  const opened_nodes nodes = open_nodes(options.path);
  auto entries = json::array();
  for (const node& member : nodes.tree.nodes) {
    if (member.kind != node_kind::array) continue;
    entries.push_back(json_of(member.path, open_array(nodes, member.path, options.missing)));
    if (!options.is_json) {
      print_entry(entries.back(), member.path.empty() ? options.path : member.path);
    }
  }
  if (options.is_json) print_json(entries);
  return 0;
}

}  // namespace tessera::tool

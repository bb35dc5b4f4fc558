// SPDX-License-Identifier: Apache-2.0
/// \file
/// Differences of arrays and groups: elements are compared in one pass over both arrays.
#include "tessera/array/any_array.hpp"
#include "tessera/array/detail/print.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/run_time_elementwise.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/counted_where.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/positions.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/storage/chunk_buffers.hpp"

#include "json/document.hpp"
#include "tool/array_nodes.hpp"
#include "tool/commands.hpp"
#include "tool/print_json.hpp"
#include "tool/ranked.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::tool {

namespace {

using json = nlohmann::ordered_json;

/// The elements that differ.
struct element_differences {
  index_t count = 0;
  /// The first one, in row-major order.
  index_vector first = {};
  /// The largest |a - b| of numbers that are both there.
  double largest = 0;
};

/// Returns the condition that elements of `a` and `b` differ.
any_array differ(const any_array& a, const any_array& b, const difference_options& options) {
  any_array same = a == b;
  if (options.relative > 0 || options.absolute > 0) {
    const any_array bound =
        astype(elementwise("abs", {b}), dtype::float64) * options.relative + options.absolute;
    same = same || elementwise("abs", {a - b}) <= bound;
  }
  if (options.equates_nan) same = same || ((a != a) && (b != b));
  return !same;
}

/// Returns |a - b| as float64.
any_array distance(const any_array& a, const any_array& b) {
  return astype(elementwise("abs", {a - b}), dtype::float64);
}

element_differences compare(const any_array& differs, const any_array& gaps,
                            const index_vector& shape) {
  const auto ones = with_common_rank(astype(differs, dtype::int64)).as<std::int64_t, common_rank>();
  const auto gap = with_common_rank(gaps).as<double, common_rank>();
  const auto is_number = with_common_rank(differs && gaps == gaps).as<bool, common_rank>();
  const auto [count, first, largest] =
      plan(sum(ones), argmax(ones), max(gap, where(is_number))).compute();
  element_differences result{.count = count(), .largest = largest()};
  if (result.count == 0) return result;
  result.first = index_vector(shape.size());
  index_t position = first();
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    result.first[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return result;
}

/// Returns arrays of a type in which differences do not wrap.
any_array for_differences(const any_array& x) {
  return has_fraction(x.dtype()) ? x : astype(x, dtype::float64);
}

element_differences differences_of(const any_array& a, const any_array& b,
                                   const difference_options& options) {
  if (num_elements(a.shape()) == 0) return {};
  const bool are_close = options.relative > 0 || options.absolute > 0;
  const any_array differs =
      are_close ? differ(for_differences(a), for_differences(b), options) : differ(a, b, options);
  const any_array gaps = distance(for_differences(a), for_differences(b));
  return compare(differs, gaps, a.shape());
}

/// Returns the element of `x` at `position` as NumPy prints it.
std::string element_text(const any_array& x, const index_vector& position) {
  const stored_array& stored = x.stored();
  chunk_buffers buffers(stored);
  std::vector<std::byte> element(size_of(x.dtype()));
  index_vector end = position;
  for (index_t& edge : end) ++edge;
  if (!stored.read_region({position, end}, element, buffers.decoded(), buffers.encoded())) {
    std::ranges::copy(stored.fill().first(element.size()), element.begin());
  }
  return detail::format_array(x.dtype(), element.data(), {});
}

/// Finds the differences of two trees of nodes.
class comparison {
 public:
  explicit comparison(const difference_options& options) : options_(options) {}

  void compare(const opened_nodes& a, const opened_nodes& b) {
    const std::vector<std::pair<std::string, node_kind>> first = paths_of(a);
    const std::vector<std::pair<std::string, node_kind>> second = paths_of(b);
    for (const auto& [path, kind] : first) {
      const auto match = std::ranges::find(second, path, &std::pair<std::string, node_kind>::first);
      if (match == second.end()) {
        report(path, "only in A");
      } else if (match->second != kind) {
        report(path, "an array in one, no array in the other");
      } else if (kind == node_kind::array) {
        compare_arrays(path, open_array(a, path, options_.missing),
                       open_array(b, path, options_.missing));
      } else if (kind == node_kind::group) {
        compare_attributes(path, attributes_of(a, path), attributes_of(b, path));
      }
    }
    for (const auto& [path, kind] : second) {
      const bool is_in_first =
          std::ranges::count(first, path, &std::pair<std::string, node_kind>::first) > 0;
      if (!is_in_first) report(path, "only in B");
    }
  }

  [[nodiscard]] const json& differences() const { return differences_; }

 private:
  static std::vector<std::pair<std::string, node_kind>> paths_of(const opened_nodes& nodes) {
    std::vector<std::pair<std::string, node_kind>> paths;
    for (const node& member : nodes.tree.nodes) paths.emplace_back(member.path, member.kind);
    return paths;
  }

  void report(const std::string& path, const std::string& text, json figures = json::object()) {
    figures["path"] = path;
    figures["text"] = text;
    differences_.push_back(std::move(figures));
  }

  void compare_attributes(const std::string& path, const attributes& a, const attributes& b) {
    const auto first = detail::parse_json(a.to_json(), "attributes");
    const auto second = detail::parse_json(b.to_json(), "attributes");
    std::set<std::string> names;
    for (const auto& [name, value] : first.items()) names.insert(name);
    for (const auto& [name, value] : second.items()) names.insert(name);
    const auto text_of = [](const nlohmann::json& values, const std::string& name) {
      return values.contains(name) ? values[name].dump() : std::string("none");
    };
    for (const std::string& name : names) {
      const std::string in_first = text_of(first, name);
      const std::string in_second = text_of(second, name);
      if (in_first == in_second) continue;
      report(path, fmt::format("attribute {}: {}, {}", name, in_first, in_second),
             {{"attribute", name}});
    }
  }

  void compare_arrays(const std::string& path, const any_array& a, const any_array& b) {
    compare_attributes(path, a.attributes(), b.attributes());
    const data_type& first = a.stored().stored_type();
    const data_type& second = b.stored().stored_type();
    if (!(first == second)) {
      report(path, fmt::format("dtype: {}, {}", first.to_json(), second.to_json()));
    }
    if (!std::ranges::equal(a.shape(), b.shape())) {
      report(path, fmt::format("shape: ({}), ({})", fmt::join(a.shape(), ", "),
                               fmt::join(b.shape(), ", ")));
    } else if (!first.element() || !second.element()) {
      report(path, fmt::format("not compared: elements of dtype {}, which are no numbers",
                               (first.element() ? second : first).to_json()));
    } else {
      compare_elements(path, a, b);
    }
  }

  void compare_elements(const std::string& path, const any_array& a, const any_array& b) {
    const element_differences result = differences_of(a, b, options_);
    if (result.count == 0) return;
    const std::string text_of_a = element_text(a, result.first);
    const std::string text_of_b = element_text(b, result.first);
    report(path,
           fmt::format("{} of {} elements differ, the first at ({}): {}, {}; the largest "
                       "difference is {}",
                       result.count, num_elements(a.shape()), fmt::join(result.first, ", "),
                       text_of_a, text_of_b, result.largest),
           {{"count", result.count},
            {"first", std::vector<index_t>(result.first.begin(), result.first.end())},
            {"a", text_of_a},
            {"b", text_of_b},
            {"largest", result.largest}});
  }

  const difference_options& options_;
  json differences_ = json::array();
};

}  // namespace

int diff(const difference_options& options) {
  comparison nodes(options);
  nodes.compare(open_nodes(options.first_path), open_nodes(options.second_path));
  const bool are_same = nodes.differences().empty();
  if (options.is_json) {
    print_json({{"are_same", are_same}, {"differences", nodes.differences()}});
  } else {
    for (const json& entry : nodes.differences()) {
      const std::string path = entry["path"];
      std::cout << fmt::format("{}: {}\n", path.empty() ? options.first_path : path,
                               entry["text"].get<std::string>());
    }
  }
  return are_same ? 0 : 1;
}

}  // namespace tessera::tool

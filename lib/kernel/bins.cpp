// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/detail/bins.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>

namespace tessera::detail {

namespace {

void require_ascending(const char* function, const std::vector<double>& edges) {
  if (edges.size() < 2) {
    throw value_error(
        fmt::format("{}: {} edges: there must be at least two", function, edges.size()));
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (std::isnan(edges[i]) || (i > 0 && edges[i] < edges[i - 1])) {
      throw value_error(fmt::format("{}: edge {} is {}; edges must ascend, and none be NaN",
                                    function, i, edges[i]));
    }
  }
}

}  // namespace

even_bins::even_bins(index_t count, double low, double high)
    : last_(static_cast<double>(count - 1)),
      low_(low),
      high_(high),
      step_((high - low) / static_cast<double>(count)),
      scale_(static_cast<double>(count) / (high - low)) {
  constexpr index_t most = (index_t{1} << 31) - 1;
  if (count < 1 || count > most) {
    throw value_error(
        fmt::format("histogram: {} bins: there must be at least one, and fewer than 2^31", count));
  }
  if (!std::isfinite(low) || !std::isfinite(high) || low >= high || !std::isfinite(scale_) ||
      step_ == 0) {
    throw value_error(fmt::format(
        "histogram: bins from {} to {}: the range must be finite and not empty", low, high));
  }
  // An edge and the scaled value of an element are rounded by less than two spacings together. Bins
  // of at least four spacings keep the error of the scaled value below half a bin.
  const double spacing = std::max(std::abs(low), std::abs(high)) * DBL_EPSILON;
  if (step_ < 4 * spacing) {
    throw value_error(fmt::format(
        "histogram: {} bins from {} to {}: they are {} wide, where neighbouring doubles may be {} "
        "apart; count x - {} instead, or take at most {} bins",
        count, low, high, step_, spacing, low,
        std::max(1.0, std::floor((high - low) / (4 * spacing)))));
  }
}

std::string even_bins::save() const { return bytes_of(count()) + bytes_of(low_) + bytes_of(high_); }

even_bins even_bins::load(std::string_view saved) {
  byte_reader bytes(saved);
  const auto count = bytes.take<index_t>();
  const auto low = bytes.take<double>();
  const auto high = bytes.take<double>();
  bytes.require_end();
  return {count, low, high};
}

std::vector<double> even_bins::edges() const {
  std::vector<double> edges;
  for (std::int32_t i = 0; i < count(); ++i) edges.push_back(edge(i, low_, step_));
  edges.push_back(high_);
  return edges;
}

std::string edge_list::save() const {
  std::string saved(1 + edges_.size() * sizeof(double), static_cast<char>(flags_));
  if (!edges_.empty()) std::memcpy(saved.data() + 1, edges_.data(), edges_.size() * sizeof(double));
  return saved;
}

edge_list::edge_list(std::string_view saved) {
  if (saved.empty() || (saved.size() - 1) % sizeof(double) != 0) {
    throw value_error("bins: the saved parameters are no list of edges");
  }
  flags_ = static_cast<std::uint8_t>(saved.front());
  edges_.resize((saved.size() - 1) / sizeof(double));
  if (!edges_.empty()) std::memcpy(edges_.data(), saved.data() + 1, saved.size() - 1);
}

uneven_bins::uneven_bins(std::span<const double> edges) : edge_list(edges, 0) {
  require_ascending("histogram", edges_);
}

uneven_bins uneven_bins::load(std::string_view saved) {
  uneven_bins loaded(saved, 0);
  require_ascending("histogram", loaded.edges_);
  return loaded;
}

digits::digits(std::span<const double> edges, bool is_right)
    : edge_list(edges, is_right ? right_flag : 0) {
  if (std::ranges::is_sorted(edges_)) return;
  if (!std::ranges::is_sorted(edges_, std::greater{})) {
    throw value_error("digitize: edges must ascend or descend");
  }
  std::ranges::reverse(edges_);
  flags_ |= descends_flag;
}

digits digits::load(std::string_view saved) {
  digits loaded(saved, 0);
  if (!std::ranges::is_sorted(loaded.edges_)) throw value_error("digitize: edges must ascend");
  return loaded;
}

}  // namespace tessera::detail

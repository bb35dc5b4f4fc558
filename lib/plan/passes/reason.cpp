// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/reason.hpp"

#include "core/api/text.hpp"
#include "plan/cost.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera {

std::string refusal_figure::text() const {
  switch (unit_) {
    case unit::size:
      return format_short(bytes{static_cast<std::uint64_t>(value_)});
    case unit::time:
      return format_time(costs::seconds{value_});
    case unit::count:
      break;
  }
  constexpr double most_counted = 0x1p53;
  if (std::abs(value_) < most_counted) return with_commas(std::llround(value_));
  return fmt::format("{:.3g}", value_);
}

std::string reason::text(const refusal_names& names) const {
  if (rule_ == nullptr) return "";
  const auto quoted = [](const std::string& name) { return fmt::format("'{}'", shortened(name)); };
  std::string text = fmt::format(fmt::runtime(rule_), fmt::arg("op", quoted(names.op)),
                                 fmt::arg("partner", quoted(names.partner)),
                                 fmt::arg("reader", quoted(names.reader)),
                                 fmt::arg("producer", quoted(names.producer)));
  if (figures_ != nullptr) {
    text += ": ";
    text += fmt::format(fmt::runtime(figures_), first_.text(), second_.text());
  }
  return text;
}

}  // namespace tessera

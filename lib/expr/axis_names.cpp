// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/axis_names.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

const std::string no_name;

}  // namespace

axis_names::axis_names(std::vector<std::string> names) {
  const auto is_name = [](const std::string& name) { return !name.empty(); };
  if (std::none_of(names.begin(), names.end(), is_name)) return;
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
}

const std::string& axis_names::operator[](std::size_t axis) const {
  return names_ == nullptr ? no_name : (*names_)[axis];
}

std::vector<std::string> axis_names::list(std::size_t rank) const {
  return names_ == nullptr ? std::vector<std::string>(rank) : *names_;
}

}  // namespace tessera

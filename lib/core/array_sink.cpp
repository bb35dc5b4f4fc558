// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_sink.hpp"

#include <algorithm>
#include <typeinfo>
#include <vector>

namespace tessera {

namespace {

const array_destination& destination_of(const array_destination* to) { return *to; }
const array_destination& destination_of(const array_destination::named& to) { return *to.first; }

/// Calls `visit` with one destination of each class, and all of that class.
template <class Each, class Visit>
void for_each_class(std::span<const Each> all, Visit visit) {
  std::vector<std::vector<Each>> classes;
  for (const Each& each : all) {
    const auto is_alike = [&each](const std::vector<Each>& others) {
      return typeid(destination_of(others.front())) == typeid(destination_of(each));
    };
    const auto found = std::find_if(classes.begin(), classes.end(), is_alike);
    (found != classes.end() ? *found : classes.emplace_back()).push_back(each);
  }
  for (const auto& alike : classes) visit(destination_of(alike.front()), alike);
}

}  // namespace

void check_together(std::span<const array_destination::named> all) {
  for_each_class(all,
                 [](const array_destination& to, const auto& alike) { to.check_together(alike); });
}

void check_room(std::span<const array_destination* const> all, const std::string& work_dir) {
  for_each_class(all, [&work_dir](const array_destination& to, const auto& alike) {
    to.check_room(alike, work_dir);
  });
}

void refuse_overwriting(std::span<const array_destination* const> all,
                        std::span<const array_source* const> sources) {
  for_each_class(all, [sources](const array_destination& to, const auto& alike) {
    to.refuse_overwriting(alike, sources);
  });
}

}  // namespace tessera

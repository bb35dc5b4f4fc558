// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_sink.hpp"

#include <map>
#include <vector>

namespace tessera {

namespace {

const array_destination& destination_of(const array_destination* to) { return *to; }
const array_destination& destination_of(const array_destination::named& to) { return *to.first; }

/// Calls `visit` with one destination of each kind, and all of that kind.
template <class Each, class Visit>
void for_each_kind(std::span<const Each> all, Visit visit) {
  std::map<std::string_view, std::vector<Each>> kinds;
  for (const Each& each : all) kinds[destination_of(each).kind()].push_back(each);
  for (const auto& [kind, alike] : kinds) visit(destination_of(alike.front()), alike);
}

}  // namespace

void check_together(std::span<const array_destination::named> all) {
  for_each_kind(all,
                [](const array_destination& to, const auto& alike) { to.check_together(alike); });
}

void check_room(std::span<const array_destination* const> all, const std::string& work_dir) {
  for_each_kind(all, [&work_dir](const array_destination& to, const auto& alike) {
    to.check_room(alike, work_dir);
  });
}

void refuse_overwriting(std::span<const array_destination* const> all,
                        std::span<const array_source* const> sources) {
  for_each_kind(all, [sources](const array_destination& to, const auto& alike) {
    to.refuse_overwriting(alike, sources);
  });
}

}  // namespace tessera

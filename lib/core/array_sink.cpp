// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_sink.hpp"

#include <algorithm>
#include <typeinfo>
#include <vector>

namespace tessera {

namespace {

const array_destination& destination_of(const array_destination* to) { return *to; }
const array_destination& destination_of(const array_destination::named& to) { return *to.first; }

/// Groups destinations by class. Calls `visit` with the first destination of a class and the class.
template <class Entry, class Visit>
void for_each_class(std::span<const Entry> entries, Visit visit) {
  std::vector<std::vector<Entry>> classes;
  for (const Entry& entry : entries) {
    const auto is_alike = [&entry](const std::vector<Entry>& members) {
      return typeid(destination_of(members.front())) == typeid(destination_of(entry));
    };
    const auto group = std::find_if(classes.begin(), classes.end(), is_alike);
    (group != classes.end() ? *group : classes.emplace_back()).push_back(entry);
  }
  for (const auto& alike : classes) visit(destination_of(alike.front()), alike);
}

}  // namespace

std::unique_ptr<array_claim> array_destination::claim(const std::string& /*identity*/) const {
  return nullptr;
}

void check_together(std::span<const array_destination::named> entries) {
  for_each_class(entries,
                 [](const array_destination& to, const auto& alike) { to.check_together(alike); });
}

void check_room(std::span<const array_destination* const> entries, const std::string& work_dir) {
  for_each_class(entries, [&work_dir](const array_destination& to, const auto& alike) {
    to.check_room(alike, work_dir);
  });
}

void refuse_overwriting(std::span<const array_destination* const> entries,
                        std::span<const array_source* const> sources) {
  for_each_class(entries, [sources](const array_destination& to, const auto& alike) {
    to.refuse_overwriting(alike, sources);
  });
}

}  // namespace tessera

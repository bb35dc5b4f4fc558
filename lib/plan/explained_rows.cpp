// SPDX-License-Identifier: Apache-2.0
#include "plan/explained_rows.hpp"

#include "core/api/text.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

using explained = plan_explanation;

/// Returns the bytes of the elements that an access needs; 0 if its amplification is unknown.
double needed_bytes(const explained::access& access) {
  const auto moved = static_cast<double>(access.moved.count());
  return access.amplification > 0 ? moved / access.amplification : 0;
}

}  // namespace

void add_access(std::vector<explained::access>& accesses, const explained::access& added) {
  const auto key = [](const explained::access& access) {
    return std::pair(pattern_of(access.array), pattern_of(access.place));
  };
  const auto match = std::find_if(
      accesses.begin(), accesses.end(),
      [&, wanted = key(added)](const explained::access& access) { return key(access) == wanted; });
  if (match == accesses.end()) return accesses.push_back(added);
  const bool is_known = match->amplification > 0 && added.amplification > 0;
  const double total_needed = needed_bytes(*match) + needed_bytes(added);
  match->moved += added.moved;
  match->num_requests += added.num_requests;
  match->count += added.count;
  match->amplification = is_known ? static_cast<double>(match->moved.count()) / total_needed : 0;
}

void add_note(std::vector<explained::note>& notes, const explained::note& added) {
  const auto match = std::find_if(notes.begin(), notes.end(), [&](const explained::note& note) {
    return note.pass == added.pass && note.is_done == added.is_done &&
           pattern_of(note.text) == pattern_of(added.text) &&
           pattern_of(note.operation) == pattern_of(added.operation);
  });
  if (match == notes.end()) {
    notes.push_back(added);
  } else {
    match->count += added.count;
  }
}

}  // namespace tessera

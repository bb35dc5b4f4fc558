// SPDX-License-Identifier: Apache-2.0
#include "plan/explained_attempts.hpp"

#include "core/api/text.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

/// Returns "; an array <choice>", "; 2 arrays <choice>", or nothing of no array.
std::string text_of_arrays(std::size_t count, std::string_view choice) {
  if (count == 0) return {};
  return count == 1 ? fmt::format("; an array {}", choice)
                    : fmt::format("; {} arrays {}", count, choice);
}

/// Returns the passes and limits of an attempt, beside the first attempt, for people.
std::string passes_of(const plan_attempt& attempt, const plan_attempt& first, bytes allowed) {
  std::string text = "all passes that are on";
  std::string_view before = ", but ";
  for (const named_pass& pass : all_passes) {
    if (pass.choice.turn_to_go == 0 ||
        attempt.choices.passes.*pass.is_on == first.choices.passes.*pass.is_on) {
      continue;
    }
    text += fmt::format("{}{}", std::exchange(before, ", "), pass.name);
  }
  if (first.uses_memory && !attempt.uses_memory) text += "; passes put no arrays into memory";
  if (first.may_keep && attempt.uses_memory && !attempt.may_keep) text += "; no input is cached";
  text += text_of_arrays(attempt.choices.materialized.size(),
                         "between operations that may not be fused away");
  text += text_of_arrays(attempt.choices.recomputed.size(), "that each reader computes itself");
  text += text_of_arrays(attempt.choices.rechunked.size(), "in chunks for a gather");
  if (attempt.allowed_memory < allowed) {
    text += fmt::format("; tasks of at most {}", format_short(attempt.allowed_memory));
  }
  return text;
}

}  // namespace

std::vector<plan_explanation::attempt> attempts_of(const plan_origin& origin, bytes allowed) {
  std::vector<plan_explanation::attempt> attempts;
  for (std::size_t i = 0; i < origin.attempts.size(); ++i) {
    const plan_attempt& attempt = origin.attempts[i];
    const std::string passes = passes_of(attempt, origin.attempts.front(), allowed);
    const auto match =
        std::ranges::find_if(attempts, [&](const plan_explanation::attempt& earlier) {
          return i != origin.attempt && !earlier.is_chosen && earlier.passes == passes &&
                 earlier.why_lost == attempt.why_lost;
        });
    if (match != attempts.end()) {
      ++match->count;
    } else {
      attempts.push_back({passes, i == origin.attempt, attempt.why_lost});
    }
  }
  if (origin.has_moves_left) {
    attempts.push_back({"all others", false,
                        fmt::format("the search ended, as it had priced {} pairs of operands",
                                    with_commas(tuning.most_pairs_of_search))});
  }
  return attempts;
}

}  // namespace tessera

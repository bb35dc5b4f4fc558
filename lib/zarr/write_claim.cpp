// SPDX-License-Identifier: Apache-2.0
#include "zarr/write_claim.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"

#include "core/api/host_name.hpp"
#include "store/api/claim_files.hpp"
#include "zarr/api/claim_array.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_location.hpp"

#include <charconv>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

constexpr std::string_view claims_name = ".tessera-claims";
constexpr std::string_view array_word = "array";
constexpr std::string_view chunks_word = "chunks";
constexpr std::string_view end_word = "end";

std::string_view word_of(claimed_part::kind kind) {
  if (kind == claimed_part::kind::array) return array_word;
  return kind == claimed_part::kind::chunks ? chunks_word : end_word;
}

std::string purpose_of(const claimed_part& part) {
  if (part.extent == claimed_part::kind::array) return "to replace it";
  if (part.extent == claimed_part::kind::end) return "to append to it";
  return fmt::format("to write {} of it", format_region(part.box));
}

/// Returns the time of the call, for messages.
std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

/// Returns the beginning of the claims of this process, as messages show it.
std::string this_process() {
  return fmt::format("process {} of the host {} ", ::getpid(), host_name());
}

/// Returns the text of a claim: "chunks 0.0 4.6;process 12 of the host ...".
std::string text_of(const claimed_part& part, std::string_view run) {
  const std::string owner = run.empty() ? std::string() : fmt::format(", for the run {:.8}", run);
  return fmt::format("{} {} {};{}has claimed it {} since {}{}", word_of(part.extent),
                     fmt::join(part.box.start, "."), fmt::join(part.box.stop, "."), this_process(),
                     purpose_of(part), time_text(), owner);
}

/// Returns the numbers of "4.6".
index_vector numbers_in(std::string_view text) {
  index_vector numbers;
  while (!text.empty()) {
    index_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{}) break;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

/// The claim of another writer, parsed from its text.
struct parsed_claim {
  claimed_part part;
  std::string_view owner;
};

parsed_claim parse_claim(std::string_view text) {
  parsed_claim claim;
  const std::size_t end = std::min(text.find(';'), text.size());
  claim.owner = text.substr(std::min(end + 1, text.size()));
  std::vector<std::string_view> words;
  for (std::string_view rest = text.substr(0, end); words.size() < 3;) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    words.push_back(rest.substr(0, space));
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  if (words[0] == chunks_word) claim.part.extent = claimed_part::kind::chunks;
  if (words[0] == end_word) claim.part.extent = claimed_part::kind::end;
  claim.part.box = {numbers_in(words[1]), numbers_in(words[2])};
  return claim;
}

/// Throws zarr_error if a claim of `claims` meets `part`.
void refuse_conflicts(const key_value_store& store, const std::string& path,
                      const claimed_part& part, std::string_view action,
                      const std::vector<std::string>& claims) {
  for (const std::string& text : claims) {
    const parsed_claim claim = parse_claim(text);
    if (!part.meets(claim.part)) continue;
    throw zarr_error(
        fmt::format("{} '{}': {}; nothing has been written: {} again when it has ended", action,
                    name_of_node(store, path), claim.owner, action.substr(0, action.find(' '))));
  }
}

/// Calls `judge` with the claims of `key`, and claims nothing.
void judge_claims(key_value_store& store, std::string_view key, const claim_judge& judge) {
  struct judged {};
  try {
    static_cast<void>(store.claim(key, "", [&](const std::vector<std::string>& claims) {
      judge(claims);
      // A claim that is not admitted is never seen.
      throw judged();
    }));
  } catch (const judged&) {
  }
}

/// Throws zarr_error if another process has claimed a group by `claims`. This process copies a
/// group under its claim of the group.
void refuse_other_process(const std::string& array, const std::string& group,
                          std::string_view action, const std::vector<std::string>& claims) {
  for (const std::string& text : claims) {
    const std::string_view owner = parse_claim(text).owner;
    if (owner.starts_with(this_process())) continue;
    throw zarr_error(
        fmt::format("{} '{}': it lies in '{}', and {}; nothing has been written: {} again when it "
                    "has ended",
                    action, array, group, owner, action.substr(0, action.find(' '))));
  }
}

/// Throws zarr_error if another process has claimed a group above the array at `path`.
void refuse_claims_above(key_value_store& store, const std::string& path, std::string_view action) {
  const std::string array = name_of_node(store, path);
  const auto directory = directory_of(store);
  if (!directory) {
    for (std::string_view group = path; !group.empty();) {
      group = folder_above(group);
      judge_claims(store, node_key(group, claims_name), [&](const auto& claims) {
        refuse_other_process(array, name_of_node(store, group), action, claims);
      });
    }
    return;
  }
  const std::string location =
      location_of_directory(path.empty() ? *directory : node_key(*directory, path)).path;
  for (std::size_t end = location.rfind('/'); end != std::string::npos && end > 0;
       end = location.rfind('/', end - 1)) {
    const std::string group = location.substr(0, end);
    if (!may_have_claims(group, claims_name)) continue;
    filesystem_store above(group);
    judge_claims(above, claims_name,
                 [&](const auto& claims) { refuse_other_process(array, group, action, claims); });
  }
}

}  // namespace

bool claimed_part::meets(const claimed_part& part) const {
  if (extent == kind::array || part.extent == kind::array) return true;
  if (extent == kind::end && part.extent == kind::end) return true;
  if (box.rank() != part.box.rank()) return true;
  return !intersect(box, part.box).empty();
}

write_claim::write_claim(std::shared_ptr<key_value_store> store, std::string path,
                         const claimed_part& part, std::string_view run)
    : store_(std::move(store)), path_(std::move(path)) {
  const std::string_view action = part.extent == claimed_part::kind::end ? "append to" : "store to";
  do {
    claim_ = store_->claim(node_key(path_, claims_name), text_of(part, run),
                           [&](const std::vector<std::string>& claims) {
                             refuse_conflicts(*store_, path_, part, action, claims);
                           });
    refuse_claims_above(*store_, path_, action);
    // Whoever removed the folder with the claim has ended by now.
  } while (!claim_->is_held());
}

void write_claim::confirm() const {
  if (claim_->is_held()) return;
  throw zarr_error(
      fmt::format("store to '{}': its folder was removed while the run wrote to it, so that the "
                  "array is not whole; store again",
                  name_of_node(*store_, path_)));
}

std::unique_ptr<const array_claim> claim_array(const std::shared_ptr<key_value_store>& store,
                                               const std::string& path) {
  return std::make_unique<const write_claim>(store, path, claimed_part{}, "");
}

void refuse_claims_below(key_value_store& store, const std::vector<std::string>& paths,
                         std::string_view action) {
  const auto directory = directory_of(store);
  const claimed_part array;
  for (const std::string& path : paths) {
    if (directory && !may_have_claims(node_key(*directory, path), claims_name)) continue;
    static_cast<void>(
        store.claim(node_key(path, claims_name), "", [&](const std::vector<std::string>& claims) {
          refuse_conflicts(store, path, array, action, claims);
        }));
  }
}

void change_alone(key_value_store& store, const std::string& path, std::string_view action,
                  const std::function<void()>& change) {
  const claimed_part array;
  const auto claim = store.claim(node_key(path, claims_name), text_of(array, ""),
                                 [&](const std::vector<std::string>& claims) {
                                   refuse_conflicts(store, path, array, action, claims);
                                   refuse_claims_above(store, path, action);
                                   change();
                                 });
}

}  // namespace tessera::detail

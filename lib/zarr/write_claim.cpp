// SPDX-License-Identifier: Apache-2.0
#include "zarr/write_claim.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/claim_array.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

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

/// Returns the time of the call, for people.
std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string host_name() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "an unknown host";
}

/// Returns the text of a claim: "chunks 0.0 4.6;process 12 of the host ...".
std::string text_of(const claimed_part& part, std::string_view run) {
  const std::string owner = run.empty() ? std::string() : fmt::format(", for the run {:.8}", run);
  return fmt::format("{} {} {};process {} of the host {} has claimed it {} since {}{}",
                     word_of(part.extent), fmt::join(part.box.start, "."),
                     fmt::join(part.box.stop, "."), ::getpid(), host_name(), purpose_of(part),
                     time_text(), owner);
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

/// A claim as another writer has written it down.
struct other_claim {
  claimed_part part;
  std::string_view owner;
};

other_claim parse_claim(std::string_view text) {
  other_claim claim;
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

/// Throws zarr_error if a claim of `others` meets `part`.
void refuse_others(const key_value_store& store, const std::string& path, const claimed_part& part,
                   std::string_view action, const std::vector<std::string>& others) {
  for (const std::string& text : others) {
    const other_claim other = parse_claim(text);
    if (!part.meets(other.part)) continue;
    throw zarr_error(
        fmt::format("{} '{}': {}; nothing has been written: {} again when it has ended", action,
                    name_of_node(store, path), other.owner, action.substr(0, action.find(' '))));
  }
}

}  // namespace

bool claimed_part::meets(const claimed_part& other) const {
  if (extent == kind::array || other.extent == kind::array) return true;
  if (extent == kind::end && other.extent == kind::end) return true;
  if (box.rank() != other.box.rank()) return true;
  return !intersect(box, other.box).empty();
}

write_claim::write_claim(std::shared_ptr<key_value_store> store, std::string path,
                         const claimed_part& part, std::string_view run)
    : store_(std::move(store)), path_(std::move(path)) {
  const std::string_view action = part.extent == claimed_part::kind::end ? "append to" : "store to";
  claim_ = store_->claim(node_key(path_, claims_name), text_of(part, run),
                         [&](const std::vector<std::string>& others) {
                           refuse_others(*store_, path_, part, action, others);
                         });
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

void change_alone(key_value_store& store, const std::string& path, std::string_view action,
                  const std::function<void()>& change) {
  const claimed_part all;
  const auto claim = store.claim(node_key(path, claims_name), text_of(all, ""),
                                 [&](const std::vector<std::string>& others) {
                                   refuse_others(store, path, all, action, others);
                                   change();
                                 });
}

}  // namespace tessera::detail

// SPDX-License-Identifier: Apache-2.0
#include "json/document.hpp"

#include "tessera/core/error.hpp"

#include "json/scanner.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_set>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

// A parsed value takes some ten times the memory of its text.
constexpr std::size_t greatest_num_values = 2'000'000;

/// Returns the position behind the string that begins at `begin`, or the end of `text`.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

/// Refuses names that occur twice in an object, because readers disagree about the value, and more
/// values than any metadata has.
class strict_reader {
 public:
  explicit strict_reader(std::string_view document) : document_(document) {}

  bool operator()(int, json::parse_event_t event, json& parsed) {
    using at = json::parse_event_t;
    if (event == at::object_start) names_.emplace_back();
    if (event == at::object_end) names_.pop_back();
    if (event == at::key && !names_.back().insert(parsed.get_ref<const std::string&>()).second) {
      throw zarr_error(fmt::format("{}: the name {} must occur once in an object, found twice",
                                   document_, shown(parsed)));
    }
    if (++num_values_ > greatest_num_values) {
      throw zarr_error(
          fmt::format("{}: JSON may have at most {} values", document_, greatest_num_values));
    }
    return true;
  }

 private:
  std::string_view document_;
  std::size_t num_values_ = 0;
  std::vector<std::unordered_set<std::string>> names_;
};

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string normalised_json(std::string_view text) {
  constexpr std::array<std::string_view, 3> words{"NaN", "Infinity", "-Infinity"};
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  if (std::none_of(words.begin(), words.end(), has)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = text[i] == '"' ? end_of_string(text, i) : i + 1;
    const std::string_view rest = text.substr(i);
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](std::string_view word) { return rest.starts_with(word); });
    if (word != words.end()) {
      result += fmt::format("\"{}\"", *word);
      end = i + word->size();
    } else {
      result += text.substr(i, end - i);
    }
    i = end;
  }
  return result;
}

json parse_json(std::string_view text, std::string_view document) {
  require_json(text, document);
  try {
    // A text without objects has no names, and a short one few values.
    const bool is_plain = text.size() < greatest_num_values && text.find('{') == text.npos;
    if (is_plain) return json::parse(normalised_json(text));
    return json::parse(normalised_json(text), strict_reader(document));
  } catch (const json::parse_error&) {
    throw zarr_error(
        fmt::format("{}: must be JSON in Unicode, but has a lone surrogate or bytes that are no "
                    "UTF-8 in a string",
                    document));
  } catch (const json::exception&) {
    throw zarr_error(
        fmt::format("{}: must be JSON of numbers that float64 holds, but one is beyond", document));
  }
}

std::string ascii_json(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      result += text[i++];
      continue;
    }
    // Only strings hold other characters. Invalid UTF-8 becomes the replacement character.
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    const std::string escaped = json(std::string(text.substr(i, length)))
                                    .dump(-1, ' ', true, json::error_handler_t::replace);
    result += escaped.substr(1, escaped.size() - 2);
    i += length;
  }
  return result;
}

std::string shown(const json& value) {
  constexpr std::size_t longest = 80;
  const std::string text = dump(value);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string quoted(std::string_view text) { return dump(json(std::string(text))); }

}  // namespace tessera::detail

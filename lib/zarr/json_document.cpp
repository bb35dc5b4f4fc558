// SPDX-License-Identifier: Apache-2.0
#include "zarr/json_document.hpp"

#include "tessera/core/error.hpp"

#include <array>
#include <fmt/format.h>
#include <unordered_set>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

// Recursion over a value goes as deep as the value does.
constexpr int greatest_depth = 64;
// A value takes some ten times the memory that its text takes.
constexpr std::size_t greatest_count = 2'000'000;

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

/// Puts Python's words for floating-point numbers into quotes, and bounds the depth.
std::string normalised(std::string_view text, std::string_view what) {
  constexpr std::array<std::string_view, 3> words{"NaN", "Infinity", "-Infinity"};
  std::string result;
  result.reserve(text.size());
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    bool is_word = false;
    if (text[i] == '"') {
      end = end_of_string(text, i);
    } else if (text[i] == '[' || text[i] == '{') {
      if (++depth > greatest_depth) {
        throw zarr_error(
            fmt::format("{}: JSON may be nested at most {} deep", what, greatest_depth));
      }
    } else if (text[i] == ']' || text[i] == '}') {
      --depth;
    } else {
      for (const std::string_view word : words) {
        if (!text.substr(i).starts_with(word)) continue;
        end = i + word.size();
        is_word = true;
      }
    }
    if (is_word) result += '"';
    result += text.substr(i, end - i);
    if (is_word) result += '"';
    i = end;
  }
  return result;
}

/// Refuses names that occur twice in an object, of which readers choose different ones, and more
/// values than any metadata has.
class strict_reader {
 public:
  explicit strict_reader(std::string_view what) : what_(what) {}

  bool operator()(int, json::parse_event_t event, json& parsed) {
    using at = json::parse_event_t;
    if (event == at::object_start) names_.emplace_back();
    if (event == at::object_end) names_.pop_back();
    if (event == at::key && !names_.back().insert(parsed.get_ref<const std::string&>()).second) {
      throw zarr_error(fmt::format("{}: the name {} must occur once in an object, found twice",
                                   what_, shown(parsed)));
    }
    if (++num_values_ > greatest_count) {
      throw zarr_error(fmt::format("{}: JSON may have at most {} values", what_, greatest_count));
    }
    return true;
  }

 private:
  std::string_view what_;
  std::size_t num_values_ = 0;
  std::vector<std::unordered_set<std::string>> names_;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

json_document parse_json(std::string_view text, std::string_view what) {
  // The parser takes a NUL for the end of the text, and would not look at what is behind it.
  if (text.find('\0') != std::string_view::npos) {
    throw zarr_error(fmt::format("{}: must be JSON, found a NUL", what));
  }
  json_document document{normalised(text, what), {}};
  try {
    document.value = json::parse(document.text, strict_reader(what));
  } catch (const json::exception& failure) {
    throw zarr_error(fmt::format("{}: must be JSON: {}", what, failure.what()));
  }
  return document;
}

std::vector<std::pair<std::string, std::string_view>> members_in_order(
    const json_document& object) {
  // The text is well-formed, so a colon and a comma at depth 1 can only separate members.
  std::vector<std::pair<std::string, std::string_view>> members;
  const std::string_view text = object.text;
  int depth = 0;
  std::size_t value_begin = 0;
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t end = end_of_string(text, i);
      if (depth == 1 && value_begin == 0) name = json::parse(text.substr(i, end - i));
      i = end - 1;
    } else if (depth == 1 && c == ':') {
      value_begin = i + 1;
    } else if (depth == 1 && (c == ',' || c == '}') && value_begin > 0) {
      members.emplace_back(std::move(name), trimmed(text.substr(value_begin, i - value_begin)));
      value_begin = 0;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
  }
  return members;
}

std::string ascii_json(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      result += text[i++];
      continue;
    }
    // Only strings hold other characters; what is no UTF-8 becomes the replacement character.
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

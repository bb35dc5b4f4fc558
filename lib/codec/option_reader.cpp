// SPDX-License-Identifier: Apache-2.0
#include "codec/option_reader.hpp"

#include "tessera/core/error.hpp"

#include "json/values.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 80;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/// Parses `text`, and refuses a deeper nesting than any option has.
nlohmann::json parsed(std::string_view text) {
  constexpr std::size_t deepest = 8;
  if (fields::depth_of(text) > deepest) {
    throw codec_error("codec: the configuration is nested too deeply");
  }
  return fields::parse_or_discard(text);
}

std::string printed(const nlohmann::json& value) {
  return shortened(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

}  // namespace

option_reader::option_reader(std::string_view text) : object_(parsed(text)) {
  if (!object_.is_object()) {
    throw codec_error(
        fmt::format("codec: the configuration must be a JSON object with an \"id\", found {}",
                    object_.is_discarded() ? shortened(std::string(text)) : printed(object_)));
  }
  const auto id = object_.find("id");
  if (id == object_.end() || !id->is_string()) {
    throw codec_error(fmt::format("codec: \"id\" must be a string that names the codec, found {}",
                                  printed(object_)));
  }
  id_ = shortened(id->get<std::string>());
}

option_reader::option_reader(std::string_view text, std::initializer_list<std::string_view> known)
    : option_reader(text) {
  for (const auto& [name, value] : object_.items()) {
    if (name == "id" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw codec_error(
        fmt::format("codec {}: \"{}\" is no option that is known, found {}; known are: {}", id_,
                    shortened(name), printed(value), fmt::join(known, ", ")));
  }
}

const nlohmann::json& option_reader::raw(const char* name) const {
  static const nlohmann::json null;
  const auto option = object_.find(name);
  return option == object_.end() ? null : *option;
}

void option_reader::refuse(const char* name, std::string_view expected) const {
  throw codec_error(fmt::format("codec {}: \"{}\" must be {}, found {}", id_, name, expected,
                                printed(raw(name))));
}

number_type option_reader::number(const char* name, std::optional<number_type> otherwise) const {
  const nlohmann::json& option = raw(name);
  if (option.is_null() && otherwise) return *otherwise;
  const auto type =
      option.is_string() ? number_type::parse(option.get<std::string>()) : std::nullopt;
  if (!type) refuse(name, "a type of real numbers such as \"<f4\"");
  return *type;
}

std::int64_t option_reader::integer(const char* name, std::int64_t otherwise, std::int64_t least,
                                    std::int64_t greatest) const {
  const auto option = object_.find(name);
  if (option == object_.end()) return otherwise;
  const std::optional<std::int64_t> value = fields::integer_if(*option);
  if (value && *value >= least && *value <= greatest) return *value;
  refuse(name, fmt::format("an integer in [{}, {}]", least, greatest));
}

bool option_reader::boolean(const char* name, bool otherwise) const {
  const auto option = object_.find(name);
  if (option == object_.end()) return otherwise;
  if (!option->is_boolean()) refuse(name, "true or false");
  return option->get<bool>();
}

std::string option_reader::string(const char* name, std::string_view otherwise) const {
  const auto option = object_.find(name);
  if (option == object_.end()) return std::string(otherwise);
  if (!option->is_string()) refuse(name, "a string");
  return option->get<std::string>();
}

}  // namespace tessera::detail

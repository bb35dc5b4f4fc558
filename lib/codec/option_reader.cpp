// SPDX-License-Identifier: Apache-2.0
#include "codec/option_reader.hpp"

#include "tessera/core/error.hpp"

#include <fmt/format.h>

namespace tessera::detail {

namespace {

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 80;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string printed(const nlohmann::json& value) {
  return shortened(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

}  // namespace

option_reader::option_reader(std::string_view text)
    : object_(nlohmann::json::parse(text, nullptr, false)) {
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
  id_ = id->get<std::string>();
}

std::int64_t option_reader::integer(const char* name, std::int64_t otherwise, std::int64_t least,
                                    std::int64_t greatest) const {
  const auto option = object_.find(name);
  if (option == object_.end()) return otherwise;
  const bool fits = option->is_number_integer() &&
                    !(option->is_number_unsigned() &&
                      option->get<std::uint64_t>() > static_cast<std::uint64_t>(greatest));
  if (fits) {
    const auto value = option->get<std::int64_t>();
    if (value >= least && value <= greatest) return value;
  }
  throw codec_error(fmt::format("codec {}: \"{}\" must be an integer in [{}, {}], found {}", id_,
                                name, least, greatest, printed(*option)));
}

bool option_reader::boolean(const char* name, bool otherwise) const {
  const auto option = object_.find(name);
  if (option == object_.end()) return otherwise;
  if (!option->is_boolean()) {
    throw codec_error(fmt::format("codec {}: \"{}\" must be true or false, found {}", id_, name,
                                  printed(*option)));
  }
  return option->get<bool>();
}

std::string option_reader::string(const char* name, std::string_view otherwise) const {
  const auto option = object_.find(name);
  if (option == object_.end()) return std::string(otherwise);
  if (!option->is_string()) {
    throw codec_error(
        fmt::format("codec {}: \"{}\" must be a string, found {}", id_, name, printed(*option)));
  }
  return option->get<std::string>();
}

}  // namespace tessera::detail

// SPDX-License-Identifier: Apache-2.0
#include "store/reference/parse_references.hpp"

#include "tessera/core/error.hpp"

#include "core/api/base64.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace tessera::detail {

namespace {

using nlohmann::json;

/// The text of a JSON value whose parts come one by one.
class json_text {
 public:
  void begin(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
  }
  void end(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
  }
  void add_name(const std::string& name) {
    separate();
    text_ += json(name).dump();
    text_ += ':';
    needs_comma_ = false;
  }
  void add_value(std::string_view value) {
    separate();
    text_ += value;
    needs_comma_ = true;
  }
  void clear() {
    text_.clear();
    needs_comma_ = false;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void separate() {
    if (needs_comma_) text_ += ',';
  }

  std::string text_;
  bool needs_comma_ = false;
};

/// Takes the events of a parser.
///
/// The members of the outer object may turn out to be no references, if "refs" or "version" comes
/// behind them. So they have a table of their own.
class reference_reader final : public nlohmann::json_sax<json> {
 public:
  explicit reference_reader(const target_prefixes& prefixes) : prefixes_(prefixes) {}

  /// Returns the references of the document that was read.
  [[nodiscard]] reference_table take() {
    if (has_templates_) {
      fail(
          "has templates or generated keys, which are not read; let kerchunk write it again as "
          "version 1 without them");
    }
    if (has_version_ && !has_references_) fail("has no member \"refs\"");
    if (!has_references_ && !problem_.empty()) fail(problem_);
    reference_table& table = has_references_ ? references_ : members_;
    table.finish();
    return std::move(table);
  }

  bool null() override { return take_scalar("null"); }
  bool boolean(bool value) override { return take_scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return take_scalar(fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == state::list) return add_number(value);
    if (state_ == state::members && key_ == "version") {
      if (value != 1) fail(fmt::format("has version {}; versions 0 and 1 are read", value));
      has_version_ = true;
      return true;
    }
    return take_scalar(fmt::format("{}", value));
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return take_scalar(text);
  }
  bool string(string_t& value) override;
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return start('{'); }
  bool end_object() override { return end('}'); }
  bool start_array(std::size_t /*size*/) override { return start('['); }
  bool end_array() override { return end(']'); }
  bool key(string_t& name) override {
    if (state_ == state::value) {
      value_.add_name(name);
    } else {
      key_ = std::move(name);
      // VirtualiZarr 2.5 names the chunk of a scalar "x/", which Zarr v2 names "x/0".
      if (is_map() && key_.size() > 1 && key_.ends_with('/')) key_ += '0';
    }
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*cause*/) override {
    fail(fmt::format("is no JSON at byte {}", position));
  }

 private:
  enum class state : std::uint8_t {
    outside,     ///< of the outer object
    members,     ///< in the outer object
    references,  ///< in "refs"
    list,        ///< in [url, offset, length]
    value,       ///< in a value that is an object
    templates,   ///< in "templates" or "gen"
  };

  [[noreturn]] static void fail(const std::string& problem) { throw store_error(problem); }

  [[nodiscard]] reference_table& table() {
    return home_ == state::references ? references_ : members_;
  }
  [[nodiscard]] bool is_map() const {
    return state_ == state::members || state_ == state::references;
  }
  [[nodiscard]] bool take_scalar(std::string_view text);
  [[nodiscard]] bool add_number(std::uint64_t number);
  [[nodiscard]] bool start(char bracket);
  [[nodiscard]] bool end(char bracket);
  void refuse_value();
  void add_list();

  const target_prefixes& prefixes_;
  reference_table members_;
  reference_table references_;
  bool has_version_ = false;
  bool has_references_ = false;
  bool has_templates_ = false;
  /// The first member of the outer object that is no reference.
  std::string problem_;

  state state_ = state::outside;
  /// The map that the present reference is in.
  state home_ = state::outside;
  std::string key_;
  std::string target_;
  std::uint64_t range_[2] = {};
  std::size_t list_size_ = 0;
  json_text value_;
  std::size_t depth_ = 0;
};

/// Takes a value that is no reference.
void reference_reader::refuse_value() {
  const std::string problem = fmt::format(
      "key \"{:.200}\": a reference is a text, [url], [url, offset, length] or an object", key_);
  if (state_ == state::references || home_ == state::references) fail(problem);
  if (problem_.empty()) problem_ = problem;
}

bool reference_reader::take_scalar(std::string_view text) {
  switch (state_) {
    case state::outside:
      fail("is no object");
    case state::value:
      value_.add_value(text);
      break;
    case state::templates:
      has_templates_ = true;
      break;
    default:
      // In a list, neither a URL nor a number from zero on.
      if (state_ == state::list) list_size_ = 4;
      refuse_value();
  }
  return true;
}

bool reference_reader::string(string_t& value) {
  constexpr std::string_view prefix = "base64:";
  if (state_ == state::value) return take_scalar(json(value).dump());
  if (state_ == state::list && list_size_ == 0) {
    target_ = std::move(value);
    list_size_ = 1;
    return true;
  }
  if (!is_map()) return take_scalar(value);
  home_ = state_;
  if (!value.starts_with(prefix)) {
    table().add_inline(key_, value);
    return true;
  }
  const auto bytes = from_base64(std::string_view(value).substr(prefix.size()));
  if (!bytes) fail(fmt::format("key \"{:.200}\": its value is no base64", key_));
  table().add_inline(key_, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  return true;
}

bool reference_reader::add_number(std::uint64_t number) {
  if (list_size_ == 1 || list_size_ == 2) {
    range_[list_size_++ - 1] = number;
  } else {
    list_size_ = 4;
  }
  return true;
}

bool reference_reader::start(char bracket) {
  switch (state_) {
    case state::outside:
      if (bracket != '{') fail("is no object");
      state_ = state::members;
      return true;
    case state::members:
    case state::references:
      break;
    case state::templates:
      ++depth_;
      return true;
    case state::value:
      ++depth_;
      value_.begin(bracket);
      return true;
    case state::list:
      fail(fmt::format("key \"{:.200}\": a reference has no lists in lists", key_));
  }
  const bool is_outer = state_ == state::members;
  home_ = state_;
  if (is_outer && bracket == '{' && key_ == "refs") {
    if (std::exchange(has_references_, true)) fail("has the member \"refs\" twice");
    state_ = state::references;
    return true;
  }
  depth_ = 1;
  if (is_outer && (key_ == "templates" || (key_ == "gen" && bracket == '['))) {
    state_ = state::templates;
  } else if (bracket == '[') {
    state_ = state::list;
    list_size_ = 0;
  } else {
    state_ = state::value;
    value_.clear();
    value_.begin(bracket);
  }
  return true;
}

void reference_reader::add_list() {
  if (list_size_ == 1) {
    table().add_whole(key_, target_, prefixes_);
  } else if (list_size_ == 3) {
    table().add_part(key_, target_, range_[0], range_[1], prefixes_);
  } else {
    refuse_value();
  }
}

bool reference_reader::end(char bracket) {
  switch (state_) {
    case state::members:
      state_ = state::outside;
      return true;
    case state::references:
      state_ = state::members;
      home_ = state::members;
      return true;
    case state::list:
      add_list();
      break;
    case state::value:
      value_.end(bracket);
      if (--depth_ > 0) return true;
      table().add_inline(key_, value_.text());
      break;
    default:
      if (--depth_ > 0) return true;
  }
  state_ = home_;
  return true;
}

}  // namespace

reference_table parse_references(std::istream& text, const target_prefixes& prefixes,
                                 std::string_view name) {
  try {
    reference_reader reader(prefixes);
    static_cast<void>(json::sax_parse(text, &reader));
    return reader.take();
  } catch (const store_error& failure) {
    throw store_error(fmt::format("the reference document {}: {}", name, failure.what()),
                      failure.kind(), failure.value_size());
  }
}

}  // namespace tessera::detail

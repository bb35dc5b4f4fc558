// SPDX-License-Identifier: Apache-2.0
#include "store/reference/reference_document.hpp"

#include "tessera/core/error.hpp"

#include "core/api/file_names.hpp"
#include "store/api/percent.hpp"
#include "store/reference/parse_references.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <istream>
#include <map>
#include <streambuf>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

/// The bytes of a value, read piece by piece. All pieces are of one version.
class value_stream final : public std::streambuf {
 public:
  value_stream(const key_value_store& store, const std::string& key, const value_part& head)
      : store_(store), key_(key), head_(head) {}

 protected:
  int_type underflow() override {
    if (position_ == head_.value_size) return traits_type::eof();
    constexpr std::uint64_t piece_size = std::uint64_t{4} << 20;
    buffer_.resize(std::min(piece_size, head_.value_size - position_));
    const auto part = store_.read_part(key_, {position_, buffer_.size()},
                                       std::as_writable_bytes(std::span(buffer_)));
    const bool is_same = part && part->value_size == head_.value_size &&
                         part->version == head_.version && part->size == buffer_.size();
    if (!is_same) throw store_error("it changed while it was read", store_failure::passing);
    position_ += part->size;
    setg(buffer_.data(), buffer_.data(), buffer_.data() + part->size);
    return traits_type::to_int_type(buffer_.front());
  }

 private:
  const key_value_store& store_;
  std::string key_;
  value_part head_;
  std::uint64_t position_ = 0;
  std::vector<char> buffer_;
};

}  // namespace

document_location parse_document_location(std::string_view location) {
  constexpr std::string_view ending = ".json";
  if (has_user(location)) {
    throw value_error("the document of a reference store must have no user in its URL");
  }
  std::string target = absolute_target(location, "");
  if (!is_url(target)) target = std::filesystem::path(absolute_name(target)).lexically_normal();
  const std::size_t scheme_end = is_url(target) ? target.find("://") + 3 : 0;
  for (std::size_t begin = scheme_end; begin < target.size();) {
    const std::size_t end = std::min(target.find('/', begin), target.size());
    const std::string_view name = std::string_view(target).substr(begin, end - begin);
    if (name.size() > ending.size() && name.ends_with(ending) && begin > scheme_end) {
      std::string folder = target.substr(std::min(end + 1, target.size()));
      while (folder.ends_with('/')) folder.pop_back();
      validate_folder(folder);
      return {target.substr(0, begin), std::string(name), std::move(folder)};
    }
    begin = end + 1;
  }
  throw value_error(
      fmt::format("the reference store \"{:.200}\" names no document: its name must end in "
                  "\".json\", as in \"reference:///data/air.json\"",
                  location.substr(0, location.find('?'))));
}

reference_document::reference_document(const document_location& location,
                                       const reference_options& options)
    : name_(location.document()),
      // A store on a server encodes its keys.
      key_(location.home.starts_with("http") && is_url(location.home)
               ? percent_decoded(location.name)
               : location.name),
      prefixes_(location.home, options.targets) {}

value_part reference_document::head(const key_value_store& store) const {
  const auto head = store.read_part(key_, {0, 0}, {});
  if (!head) {
    throw store_error(
        fmt::format("the reference document {} does not exist; check the path", name_));
  }
  if (head->value_size > max_size) {
    throw store_error(fmt::format("the reference document {} has {} B, at most {} B are read",
                                  name_, head->value_size, max_size),
                      store_failure::too_large, head->value_size);
  }
  return *head;
}

std::shared_ptr<const reference_table> reference_document::load(const key_value_store& store,
                                                                const value_part& head) const {
  value_stream bytes(store, key_, head);
  std::istream text(&bytes);
  return std::make_shared<const reference_table>(parse_references(text, prefixes_, name_));
}

std::shared_ptr<const reference_table> reference_document::table() {
  const std::shared_ptr<key_value_store> store = prefixes_.store_at(0);
  const std::lock_guard lock(mutex_);
  const value_part now = head(*store);
  const bool is_same =
      table_ != nullptr && now.value_size == head_.value_size && now.version == head_.version;
  if (!is_same) {
    table_ = load(*store, now);
    head_ = now;
  }
  return table_;
}

std::shared_ptr<key_value_store> reference_document::store_of(
    const reference_target& target) const {
  try {
    return prefixes_.store_at(target.prefix);
  } catch (const value_error& failure) {
    throw store_error(
        fmt::format("the targets of the reference document {}: {}", name_, failure.what()),
        store_failure::unsupported);
  }
}

std::shared_ptr<reference_document> share_document(const document_location& location,
                                                   const reference_options& options) {
  static std::mutex mutex;
  // Never destroyed: static objects may hold arrays.
  static auto& documents = *new std::map<std::string, std::weak_ptr<reference_document>>;
  std::string name = location.document();
  for (const std::string& prefix : options.targets) name += "\n" + prefix;
  const std::lock_guard lock(mutex);
  std::erase_if(documents, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<reference_document> document = documents[name].lock();
  if (document == nullptr) {
    document = std::make_shared<reference_document>(location, options);
    documents[name] = document;
  }
  return document;
}

}  // namespace tessera::detail

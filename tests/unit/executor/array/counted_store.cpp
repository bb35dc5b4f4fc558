// SPDX-License-Identifier: Apache-2.0
#include "unit/executor/array/counted_store.hpp"

#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/open_store.hpp"

#include "unit/executor/array/forwarding_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace tessera::testing {

namespace {

constexpr auto scheme = "counted";
constexpr auto store_folder = "/store";
constexpr std::size_t keys_in_page = 1000;

class counted_store final : public forwarding_store {
 public:
  explicit counted_store(const std::string& place)
      : forwarding_store(std::make_shared<filesystem_store>(place)),
        place_(place),
        log_(place.substr(0, place.find(store_folder)) + "/requests") {}

  [[nodiscard]] std::optional<store_recipe> recipe() const override {
    return store_recipe{scheme, place_};
  }
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override {
    count("GET", key);
    return inner().read_part(key, range, into);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    count("GET", key);
    return inner().read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    count("HEAD", key);
    return inner().size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    count("PUT", key);
    inner().write(key, value);
  }
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override {
    count("PUT", key);
    return inner().write_if(key, value, expected);
  }
  void erase(std::string_view key) override {
    count("DELETE", key);
    inner().erase(key);
  }
  void erase_all(std::string_view folder) override {
    count_pages("LIST", folder, inner().list(folder).size());
    count_pages("POST", folder, inner().list(folder).size());
    inner().erase_all(folder);
  }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    auto keys = inner().list(folder);
    count_pages("LIST", folder, keys.size());
    return keys;
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    auto names = inner().list_folder(folder);
    count_pages("LIST", folder, names.size());
    return names;
  }

 private:
  /// Several processes append lines.
  void count(std::string_view method, std::string_view key) const {
    const std::string line = fmt::format("{} {}\n", method, key);
    const int file = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
    ::close(file);
  }
  void count_pages(std::string_view method, std::string_view folder, std::size_t num_keys) const {
    for (std::size_t first = 0; first == 0 || first < num_keys; first += keys_in_page) {
      count(method, folder);
    }
  }

  std::string place_;
  std::string log_;
};

const bool is_known = register_store(scheme, [](const store_recipe& recipe) {
  return std::make_shared<counted_store>(recipe.place);
});

}  // namespace

std::string counted_location(const std::filesystem::path& directory) {
  return fmt::format("{}://{}{}", scheme, directory.string(), store_folder);
}

std::vector<std::string> requests_of(const std::filesystem::path& directory) {
  std::vector<std::string> requests;
  std::ifstream log(directory / "requests");
  for (std::string line; std::getline(log, line);) requests.push_back(line);
  return requests;
}

}  // namespace tessera::testing

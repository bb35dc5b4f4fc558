// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a store in a directory is found again, and told from what it was.

#include "tessera/core/error.hpp"
#include "tessera/core/fingerprint.hpp"
#include "tessera/store/filesystem_store.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// An option as a recipe has it.
struct named_option {
  std::string_view name;
  bool filesystem_options::*is_set;
};

constexpr std::array<named_option, 2> named_options{
    {{"fsync", &filesystem_options::fsync},
     {"refuse_outward_links", &filesystem_options::refuse_outward_links}}};

std::string text_of(const filesystem_options& options) {
  std::string text;
  for (const auto& [name, is_set] : named_options) {
    if (!(options.*is_set)) continue;
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

filesystem_options parse_options(std::string_view text) {
  filesystem_options options;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    const auto* const found = std::ranges::find(named_options, name, &named_option::name);
    if (found == named_options.end()) {
      throw value_error(fmt::format(
          "a store in a directory has the options \"fsync\" and \"refuse_outward_links\", found "
          "\"{:.40}\"",
          name));
    }
    options.*(found->is_set) = true;
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  return options;
}

}  // namespace

std::shared_ptr<filesystem_store> filesystem_store::open(const store_recipe& recipe) {
  if (!recipe.place.starts_with('/')) {
    throw value_error(
        fmt::format("the store \"file://{:.200}\": the path must be absolute, as in \"file:///data/"
                    "a.zarr\"; write a relative one without \"file://\"",
                    recipe.place));
  }
  return std::make_shared<filesystem_store>(recipe.place, parse_options(recipe.options));
}

std::optional<store_recipe> filesystem_store::recipe() const {
  return store_recipe{std::string(scheme), path_, text_of(options_)};
}

std::string filesystem_store::state(std::string_view folder) const {
  validate_folder(folder);
  require_inside(folder);
  const fs::path directory = folder.empty() ? fs::path(path_) : fs::path(path_) / folder;
  // A sum of one hash for each file, so that the order in which they are found does not matter.
  std::array<std::uint64_t, 2> sum{};
  std::size_t count = 0;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
      struct stat status {};
      // A file that has gone meanwhile is not there.
      if (entry.path().filename().native().starts_with(".") ||
          ::stat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        continue;
      }
      fingerprint file;
      file.add(fmt::format("{}\n{} {} {}", entry.path().lexically_relative(directory).native(),
                           status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
      const auto words = file.words();
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += words[i];
      ++count;
    }
  } catch (const fs::filesystem_error& failure) {
    throw store_error(
        fmt::format("{}: cannot list its chunks: {}", directory.native(), failure.what()));
  }
  return fmt::format("{} {:x} {:x}\n", count, sum[0], sum[1]);
}

}  // namespace tessera

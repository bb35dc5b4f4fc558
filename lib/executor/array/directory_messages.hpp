// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Messages as files of a directory that the driver and all elements see.

#include "executor/api/message_folder.hpp"

#include <filesystem>
#include <string>
#include <utility>

namespace tessera::job_arrays {

/// Messages as files of a directory. A file is written beside its name and renamed.
class directory_messages final : public message_folder {
 public:
  explicit directory_messages(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& location() const override { return path_; }
  [[nodiscard]] folder_periods periods() const override { return {}; }
  void make_folder(std::string_view folder) const override;
  void put(std::string_view key, const std::string& text) const override;
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const override;
  [[nodiscard]] std::string get_end(std::string_view key, std::size_t limit) const override;
  [[nodiscard]] bool exists(std::string_view key) const override;
  [[nodiscard]] std::vector<std::string> names_in(std::string_view folder) const override;
  void remove_folder(std::string_view folder) const override;
  [[nodiscard]] std::unique_ptr<progress_record> begin_progress(
      std::string_view key, index_t done, const std::string& host) const override;

 private:
  [[nodiscard]] std::filesystem::path file(std::string_view key) const;

  std::string path_;
};

}  // namespace tessera::job_arrays

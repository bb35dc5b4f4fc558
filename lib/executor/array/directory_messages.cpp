// SPDX-License-Identifier: Apache-2.0
#include "executor/array/directory_messages.hpp"

#include "tessera/core/error.hpp"

#include "core/api/host_name.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace tessera::job_arrays {

namespace {

/// A file that stays open, so that a record costs two system calls. Numbers only grow: a text
/// replaces one that is no longer, and nothing of it is left.
class progress_file_record final : public progress_record {
 public:
  progress_file_record(const std::filesystem::path& path, index_t done, const std::string& host)
      : out_(path), end_(fmt::format(" {}\n", host)) {
    write(done);
  }
  void write(index_t done) override {
    out_.seekp(0);
    out_ << done << end_ << std::flush;
  }

 private:
  std::ofstream out_;
  std::string end_;
};

}  // namespace

void write_whole_file(const std::filesystem::path& path, const std::string& text) {
  // The name has host and process, as elements on several hosts write into one directory.
  const std::filesystem::path temporary =
      fmt::format("{}.{}-{}", path.string(), host_name(), getpid());
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  std::error_code failure;
  if (out) std::filesystem::rename(temporary, path, failure);
  if (out && !failure) return;
  std::filesystem::remove(temporary, failure);
  throw store_error("cannot write '" + path.string() + "'", true);
}

std::optional<std::string> read_whole_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::filesystem::path directory_messages::file(std::string_view key) const {
  return std::filesystem::path(path_) / key;
}

void directory_messages::make_folder(std::string_view folder) const {
  std::error_code ignored;
  std::filesystem::create_directories(file(folder), ignored);
}

void directory_messages::put(std::string_view key, const std::string& text) const {
  write_whole_file(file(key), text);
}

std::optional<std::string> directory_messages::get(std::string_view key) const {
  return read_whole_file(file(key));
}

std::string directory_messages::get_end(std::string_view key, std::size_t limit) const {
  std::ifstream in(file(key), std::ios::ate | std::ios::binary);
  if (!in) return {};
  in.seekg(std::max<std::streamoff>(0, in.tellg() - static_cast<std::streamoff>(limit)));
  return {std::istreambuf_iterator<char>(in), {}};
}

bool directory_messages::exists(std::string_view key) const {
  std::error_code ignored;
  return std::filesystem::exists(file(key), ignored);
}

std::vector<std::string> directory_messages::names_in(std::string_view folder) const {
  std::vector<std::string> names;
  std::error_code failure;
  for (auto entry = std::filesystem::directory_iterator(file(folder), failure);
       entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

void directory_messages::remove_folder(std::string_view folder) const {
  std::error_code ignored;
  std::filesystem::remove_all(file(folder), ignored);
}

std::unique_ptr<progress_record> directory_messages::begin_progress(std::string_view key,
                                                                    index_t done,
                                                                    const std::string& host) const {
  return std::make_unique<progress_file_record>(file(key), done, host);
}

}  // namespace tessera::job_arrays

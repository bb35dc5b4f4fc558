// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A temporary directory that all ranks of a test see.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mpi.h>
#include <stdexcept>
#include <string>

namespace tessera::testing {

/// Made by the first rank, and removed once all ranks are through with it.
class shared_directory {
 public:
  explicit shared_directory(MPI_Comm comm = MPI_COMM_WORLD) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    std::array<char, 256> name{};
    if (rank_ == 0) {
      const std::string pattern =
          (std::filesystem::temp_directory_path() / "tessera-mpi-XXXXXX").string();
      pattern.copy(name.data(), name.size() - 1);
      if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, comm);
    path_ = name.data();
  }
  shared_directory(const shared_directory&) = delete;
  shared_directory& operator=(const shared_directory&) = delete;
  ~shared_directory() {
    MPI_Barrier(comm_);
    std::error_code ignored;
    if (rank_ == 0) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Makes an empty file; returns false if it is there.
  bool mark(const std::string& name) const {
    const std::filesystem::path file = path_ / name;
    if (std::filesystem::exists(file)) return false;
    std::ofstream{file};
    return true;
  }

  [[nodiscard]] std::ptrdiff_t num_marks() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path path_;
};

}  // namespace tessera::testing

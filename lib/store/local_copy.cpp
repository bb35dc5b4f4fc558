// SPDX-License-Identifier: Apache-2.0
#include "store/api/local_copy.hpp"

#include "tessera/core/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace tessera::detail {

namespace {

std::string pattern_of_names() {
  std::error_code failure;
  const auto folder = std::filesystem::temp_directory_path(failure);
  if (!failure) return (folder / "tessera-copy-XXXXXX").string();
  throw store_error(
      fmt::format("there is no folder for temporary files (TMPDIR): {}", failure.message()));
}

}  // namespace

local_copy::local_copy() : name_(pattern_of_names()) {
  const int file = ::mkstemp(name_.data());
  if (file < 0) {
    throw store_error(fmt::format("cannot create '{}': {}", name_, std::strerror(errno)));
  }
  ::close(file);
}

local_copy::~local_copy() { ::unlink(name_.c_str()); }

std::string local_copy::read() const {
  std::ifstream in(name_, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void local_copy::write(std::span<const std::byte> contents) const {
  std::ofstream out(name_, std::ios::binary);
  out.write(reinterpret_cast<const char*>(contents.data()),
            static_cast<std::streamsize>(contents.size()));
  out.close();
  if (!out) throw store_error(fmt::format("cannot write '{}'", name_));
}

}  // namespace tessera::detail

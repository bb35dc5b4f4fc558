// SPDX-License-Identifier: Apache-2.0
#include "plan/api/program_identity.hpp"

#include "tessera/core/error.hpp"

#include "core/api/fingerprint.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <memory>

namespace tessera {

namespace {

void add_file(fingerprint& hash, const std::string& path) {
  const auto close = [](std::FILE* file) { static_cast<void>(std::fclose(file)); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (file == nullptr) {
    throw store_error(
        fmt::format("program_identity: cannot open {}: {}", path, std::strerror(errno)));
  }
  std::array<std::byte, 1 << 16> block;
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    hash.add(std::span(block).first(size));
  }
  if (std::ferror(file.get()) != 0) {
    throw store_error(fmt::format("program_identity: cannot read {}", path));
  }
}

/// Returns the file of this library, or an empty text if it is linked into the program.
std::string library_file() {
  Dl_info info{};
  void* map = nullptr;
  const void* const here = reinterpret_cast<const void*>(&program_identity);
  if (::dladdr1(here, &info, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr) return {};
  return static_cast<const link_map*>(map)->l_name;
}

std::string hash_of_program() {
  fingerprint hash;
  add_file(hash, "/proc/self/exe");
  const std::string library = library_file();
  if (!library.empty()) add_file(hash, library);
  return hash.digits();
}

}  // namespace

const std::string& program_identity() {
  static const std::string identity = hash_of_program();
  return identity;
}

}  // namespace tessera

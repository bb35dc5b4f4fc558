// SPDX-License-Identifier: Apache-2.0
#include "observe/record/gzip_file.hpp"

#include "tessera/core/error.hpp"

#include "observe/record/deflate.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <zlib.h>

namespace tessera {

namespace {

gzFile handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void gzip_file::closer::operator()(void* file) const { gzclose(handle(file)); }

gzip_file::gzip_file(std::string path) : path_(std::move(path)) {
  file_.reset(gzopen(path_.c_str(), fmt::format("wb{}", small_level).c_str()));
  if (file_ == nullptr) fail(std::strerror(errno));
}

void gzip_file::write(std::string_view text) {
  if (text.empty()) return;
  if (gzwrite(handle(file_.get()), text.data(), static_cast<unsigned>(text.size())) == 0) {
    fail(std::strerror(errno));
  }
}

void gzip_file::close() {
  if (gzclose(handle(file_.release())) != Z_OK) fail(std::strerror(errno));
}

void gzip_file::fail(std::string_view reason) const {
  throw store_error(fmt::format("report: cannot write \"{}\": {}", path_, reason));
}

}  // namespace tessera

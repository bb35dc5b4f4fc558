// SPDX-License-Identifier: Apache-2.0
#include "store/unfinished_file.hpp"

#include "store/unfinished_write.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tessera::detail {

namespace {

int result_of(int returned) { return returned == 0 ? 0 : errno; }

}  // namespace

unfinished_file::~unfinished_file() {
  if (name_) ::unlink(name_->c_str());
}

int unfinished_file::make(const path_buffer& path, int flags) {
  file_.emplace(open_file(path.c_str(), O_WRONLY | flags));
  return file_->get() < 0 ? errno : 0;
}

int unfinished_file::open() {
  if (is_named_) {
    const path_buffer name(target_.view(), {}, unfinished_suffix().view());
    const int failure = make(name, O_CREAT | O_EXCL);
    if (failure == 0) name_ = name;
    return failure;
  }
  const std::string_view path = target_.view();
  return make(path_buffer(path.substr(0, path.rfind('/') + 1), {}), O_TMPFILE);
}

int unfinished_file::append(std::span<const std::byte> piece) {
  return write_fully(file_->get(), piece);
}

int unfinished_file::write_front(std::span<const std::byte> front) {
  off_t done = 0;
  while (!front.empty()) {
    const ssize_t count = ::pwrite(file_->get(), front.data(), front.size(), done);
    if (count >= 0) {
      done += count;
      front = front.subspan(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int unfinished_file::close(bool sync) {
  if (sync && ::fdatasync(file_->get()) != 0) return errno;
  // Some file systems report a failed write only on close, which must come before the rename. A
  // file without a name would vanish on close, so that a second descriptor keeps it.
  if (is_named_) return file_->close();
  file_descriptor second(::fcntl(file_->get(), F_DUPFD_CLOEXEC, 0));
  return second.get() < 0 ? errno : second.close();
}

int unfinished_file::replace_target() {
  if (!is_named_) {
    const int failure = link(target_);
    if (failure != EEXIST) return failure;
    const path_buffer name(target_.view(), {}, unfinished_suffix().view());
    if (const int error = link(name); error != 0) return error;
    name_ = name;
  }
  const int failure = result_of(std::rename(name_->c_str(), target_.c_str()));
  if (failure == 0) name_.reset();
  return failure;
}

int unfinished_file::create_target() {
  if (!is_named_) return link(target_);
  // The destructor removes the other name.
  return result_of(::link(name_->c_str(), target_.c_str()));
}

/// Gives the unnamed file the name `to`.
int unfinished_file::link(const path_buffer& to) const {
  const int failure = result_of(::linkat(file_->get(), "", AT_FDCWD, to.c_str(), AT_EMPTY_PATH));
  if (failure == 0 || failure == EEXIST) return failure;
  // By /proc, because AT_EMPTY_PATH needs a capability before Linux 6.10.
  std::array<char, 32> from;
  *fmt::format_to_n(from.data(), from.size() - 1, "/proc/self/fd/{}", file_->get()).out = '\0';
  return result_of(::linkat(AT_FDCWD, from.data(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW));
}

}  // namespace tessera::detail

// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_file.hpp"

#include "tessera/core/error.hpp"

#include "core/api/fingerprint.hpp"
#include "plan/memory_elements.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {

namespace {

constexpr std::string_view magic = "tessera-plan ";
constexpr std::string_view version = "21";
constexpr std::size_t checksum_bytes = 33;

[[noreturn]] void throw_system(const char* verb, const std::string& path) {
  throw store_error(
      fmt::format("cannot {} the plan file {}: {}", verb, path, std::strerror(errno)));
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw value_error(fmt::format("{}: {}; write the plan anew", path, why));
}

class open_file {
 public:
  open_file(const std::string& path, int flags) : value_(::open(path.c_str(), flags, 0666)) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (value_ >= 0) ::close(value_);
  }
  [[nodiscard]] int get() const { return value_; }
  /// Closes the file; false if it fails, which is how some file systems tell of a failed write.
  [[nodiscard]] bool close() { return ::close(std::exchange(value_, -1)) == 0; }

 private:
  int value_;
};

/// Writes a temporary file beside the target, and renames it at the end.
class new_file {
 public:
  explicit new_file(const std::string& path)
      : path_(path), partial_(partial_name(path)), file_(partial_, flags) {
    if (file_.get() < 0) throw_system("create", partial_);
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file() {
    if (!is_done_) ::unlink(partial_.c_str());
  }

  void add(std::span<const std::byte> piece) {
    hash_.add(piece);
    size_ += piece.size();
    while (!piece.empty()) {
      const ssize_t written = ::write(file_.get(), piece.data(), piece.size());
      if (written < 0 && errno != EINTR) throw_system("write", partial_);
      if (written > 0) piece = piece.subspan(static_cast<std::size_t>(written));
    }
  }
  void add(std::string_view piece) { add(std::as_bytes(std::span(piece))); }
  void pad() { add(std::string(aligned_for_elements(size_) - size_, '\0')); }

  void finish() {
    add(hash_.digits() + "\n");
    if (!file_.close()) throw_system("write", partial_);
    if (::rename(partial_.c_str(), path_.c_str()) != 0) throw_system("write", path_);
    is_done_ = true;
  }

 private:
  static constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;

  static std::string partial_name(const std::string& path) {
    static std::atomic<unsigned> count{0};
    return fmt::format("{}.{}-{}.partial", path, ::getpid(), count++);
  }

  std::string path_;
  std::string partial_;
  open_file file_;
  fingerprint hash_;
  std::size_t size_ = 0;
  bool is_done_ = false;
};

/// Returns the file's bytes, mapped; `owner` unmaps them.
file_elements map_file(const std::string& path) {
  const open_file file(path, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) throw_system("open", path);
  if (!S_ISREG(status.st_mode) || status.st_size == 0) refuse(path, "it is no plan file");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped == MAP_FAILED) throw_system("map", path);
  std::shared_ptr<const void> owner(mapped, [size](void* start) { ::munmap(start, size); });
  return {{static_cast<const std::byte*>(mapped), size}, std::move(owner)};
}

/// Removes a number and the character `end` from the front of `line`, and returns the number.
std::size_t take_number(const std::string& path, std::string_view& line, char end) {
  std::size_t number = 0;
  const auto [stop, failure] = std::from_chars(line.data(), line.data() + line.size(), number);
  const auto length = static_cast<std::size_t>(stop - line.data());
  if (failure != std::errc() || length >= line.size() || line[length] != end) {
    refuse(path, "its first lines are damaged");
  }
  line.remove_prefix(length + 1);
  return number;
}

void check_version(const std::string& path, std::string_view& rest) {
  if (!rest.starts_with(magic)) refuse(path, "it is no plan file");
  rest.remove_prefix(magic.size());
  const std::string_view file_version = rest.substr(0, std::min<std::size_t>(rest.find('\n'), 16));
  if (file_version != version) {
    refuse(path, fmt::format("it is of version {} of plan files, and this program reads version {}",
                             file_version, version));
  }
  rest.remove_prefix(std::min(rest.size(), file_version.size() + 1));
}

}  // namespace

void write_plan_file(
    const std::string& path, std::string_view text, std::size_t num_bytes,
    const std::function<void(const std::function<void(std::span<const std::byte>)>&)>&
        write_elements) {
  new_file file(path);
  file.add(fmt::format("{}{}\n{} {}\n", magic, version, text.size(), num_bytes));
  file.add(text);
  file.pad();
  write_elements([&file](std::span<const std::byte> piece) { file.add(piece); });
  file.finish();
}

plan_file read_plan_file(const std::string& path) {
  const file_elements whole = map_file(path);
  const std::string_view file_text(reinterpret_cast<const char*>(whole.bytes.data()),
                                   whole.bytes.size());
  std::string_view rest = file_text;
  check_version(path, rest);
  const std::size_t text_bytes = take_number(path, rest, ' ');
  const std::size_t num_bytes = take_number(path, rest, '\n');
  const std::size_t text_start = file_text.size() - rest.size();
  if (text_bytes > rest.size() || num_bytes > rest.size()) refuse(path, "it is cut off");
  const std::size_t start = aligned_for_elements(text_start + text_bytes);
  if (start + num_bytes + checksum_bytes != file_text.size()) refuse(path, "it is cut off");
  const std::string_view contents = file_text.substr(0, start + num_bytes);
  fingerprint hash;
  hash.add(contents);
  if (file_text.substr(contents.size()) != hash.digits() + "\n") {
    refuse(path, "its contents are not those that were written");
  }
  return {file_text.substr(text_start, text_bytes),
          {whole.bytes.subspan(start, num_bytes), whole.owner}};
}

}  // namespace tessera

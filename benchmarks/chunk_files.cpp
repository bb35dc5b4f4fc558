// SPDX-License-Identifier: Apache-2.0
#include "hand_written.hpp"

#include <blosc.h>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace hand_written {

namespace {

[[noreturn]] void throw_errno(const std::string& action) {
  throw std::system_error(errno, std::generic_category(), action);
}

/// A file descriptor that is closed at the end of its scope.
class file_descriptor {
 public:
  file_descriptor(const std::string& file, int flags) : value_(::open(file.c_str(), flags, 0644)) {
    if (value_ < 0) throw_errno(file);
  }
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() { ::close(value_); }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

std::size_t product(const std::vector<std::size_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::size_t{1}, std::multiplies<>{});
}

std::string joined(const std::vector<std::size_t>& numbers, const std::string& separator) {
  std::string text;
  for (const std::size_t number : numbers) {
    text += (text.empty() ? "" : separator) + std::to_string(number);
  }
  return text;
}

}  // namespace

std::size_t zarr_array::chunk_elements() const { return product(chunks); }

std::size_t zarr_array::num_chunks() const {
  std::size_t count = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) count *= chunks_along(axis);
  return count;
}

std::size_t zarr_array::chunks_along(std::size_t axis) const {
  return (shape[axis] + chunks[axis] - 1) / chunks[axis];
}

std::vector<std::size_t> zarr_array::chunk_at(std::size_t position) const {
  std::vector<std::size_t> chunk(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::size_t count = chunks_along(axis);
    chunk[axis] = position % count;
    position /= count;
  }
  return chunk;
}

std::string zarr_array::file_of(const std::vector<std::size_t>& chunk) const {
  return path.string() + '/' + joined(chunk, ".");
}

void create(const zarr_array& array) {
  std::filesystem::create_directories(array.path);
  const auto file = array.path / ".zarray";
  std::ofstream out(file);
  out << "{\"zarr_format\": 2, \"shape\": [" << joined(array.shape, ", ") << "], \"chunks\": ["
      << joined(array.chunks, ", ") << "], \"dtype\": \"<f" << array.item_size
      << R"(", "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5,)"
      << R"( "shuffle": 1, "blocksize": 0}, "fill_value": 0.0, "order": "C", "filters": null})"
      << '\n';
  if (!out.flush()) throw_errno(file.string());
}

chunk_files::chunk_files(std::size_t chunk_bytes) : encoded_(chunk_bytes + BLOSC_MAX_OVERHEAD) {}

void chunk_files::read(const std::string& file, std::span<std::byte> elements) {
  const file_descriptor in(file, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) throw_errno(file);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > encoded_.size()) throw std::runtime_error(file + ": too long");
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::read(in.get(), encoded_.data() + done, size - done);
    if (count <= 0) throw_errno(file);
    done += static_cast<std::size_t>(count);
  }
  const int decoded = blosc_decompress_ctx(encoded_.data(), elements.data(), elements.size(), 1);
  if (decoded != static_cast<int>(elements.size())) throw std::runtime_error(file + ": corrupt");
}

void chunk_files::write(const std::string& file, std::span<const std::byte> elements,
                        std::size_t item_size) {
  const int encoded =
      blosc_compress_ctx(5, BLOSC_SHUFFLE, item_size, elements.size(), elements.data(),
                         encoded_.data(), encoded_.size(), BLOSC_LZ4_COMPNAME, 0, 1);
  if (encoded <= 0) throw std::runtime_error(file + ": not compressed");
  const auto size = static_cast<std::size_t>(encoded);
  const file_descriptor out(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::write(out.get(), encoded_.data() + done, size - done);
    if (count <= 0) throw_errno(file);
    done += static_cast<std::size_t>(count);
  }
}

void chunk_files::replace(const std::string& file, std::span<const std::byte> elements,
                          std::size_t item_size) {
  const std::string beside = file + ".partial";
  write(beside, elements, item_size);
  if (::rename(beside.c_str(), file.c_str()) != 0) throw_errno(file);
}

}  // namespace hand_written

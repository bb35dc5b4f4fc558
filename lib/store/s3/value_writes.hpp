// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Writes of values: by one request, on a condition, and in parts.

#include "tessera/store/transfers.hpp"

#include "store/s3/bucket.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tessera::s3 {

/// The header with the mark of a write, by which it knows its value again after a lost answer.
inline constexpr std::string_view mark_header = "x-amz-meta-tessera-write";

/// Returns 128 random bits as hexadecimal digits.
[[nodiscard]] std::string random_mark();

/// Returns the operation that writes a value.
[[nodiscard]] operation put_operation(const bucket& target, std::string_view key,
                                      std::span<const std::byte> value);

/// Tells whether the value of a key has the mark of a write.
[[nodiscard]] bool has_mark(bucket& target, const std::string& full_key, const std::string& mark);

/// A write in flight, on the condition that the value of the key has the version `expected`, or is
/// missing for the unknown version.
class conditional_put {
 public:
  /// Begins the write. The bytes of `value` are valid until it has ended.
  conditional_put(bucket& target, std::string_view key, std::span<const std::byte> value,
                  const value_version& expected);

  /// Waits. Returns false if it is another version. An attempt without an answer that wrote the
  /// value counts as success.
  ///
  /// Throws: store_error <- as `key_value_store::write_if`.
  [[nodiscard]] bool wait();

 private:
  bucket& target_;
  std::string key_;
  bool must_exist_;
  std::string mark_ = random_mark();
  call write_;
};

/// Writes a value on a condition, as `conditional_put`, and waits.
[[nodiscard]] bool put_if(bucket& target, std::string_view key, std::span<const std::byte> value,
                          const value_version& expected);

/// An erasure in flight. Its end waits, and ignores a failure. A forked child leaves it alone.
class pending_erasure {
 public:
  /// Begins to erase a key of the bucket, which `owner` has.
  pending_erasure(std::shared_ptr<const void> owner, bucket& target, std::string_view key);
  pending_erasure(const pending_erasure&) = delete;
  pending_erasure& operator=(const pending_erasure&) = delete;
  ~pending_erasure();

 private:
  std::shared_ptr<const void> owner_;
  std::unique_ptr<call> erasure_;
  pid_t process_ = ::getpid();
};

/// Writes in flight.
class put_queue final : public write_queue {
 public:
  explicit put_queue(bucket& target) : target_(target) {}
  ~put_queue() override;

  [[nodiscard]] std::size_t submit(std::string_view key, std::span<const std::byte> value) override;
  [[nodiscard]] bool is_complete(std::size_t ticket) const override;
  void wait(std::size_t ticket) override;

 private:
  struct slot {
    std::string key;
    /// Not set if the key is malformed.
    std::unique_ptr<call> write;
    bool is_used = false;
  };

  bucket& target_;
  std::vector<slot> slots_;
};

/// A value that is written in parts of 8 MiB, two of which are in flight (multipart upload). A
/// value of one part is written by one request.
class part_writer final : public value_writer {
 public:
  static constexpr std::size_t part_size = std::size_t{8} << 20;
  static constexpr std::size_t max_parts = 10'000;
  static constexpr std::size_t num_parts_in_flight = 2;
  /// The parts in flight, the part that grows, and answers.
  static constexpr std::size_t memory = (num_parts_in_flight + 1) * part_size + (1U << 16);

  part_writer(bucket& target, std::string_view key);
  ~part_writer() override;

  void append(std::span<const std::byte> piece) override;
  void finish() override;

 private:
  struct part {
    std::vector<std::byte> bytes;
    std::unique_ptr<call> write;
  };

  void begin_upload();
  void begin_part();
  void finish_oldest();
  void complete();
  void abort() noexcept;

  bucket& target_;
  std::string full_key_;
  std::string purpose_;
  std::string mark_;
  std::string upload_;
  std::vector<std::byte> pending_;
  std::deque<part> in_flight_;
  std::vector<std::string> etags_;
};

}  // namespace tessera::s3

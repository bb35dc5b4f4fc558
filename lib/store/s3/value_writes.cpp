// SPDX-License-Identifier: Apache-2.0
#include "store/s3/value_writes.hpp"

#include "tessera/core/error.hpp"

#include "store/s3/documents.hpp"
#include "store/s3/hashes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <fmt/format.h>
#include <random>
#include <utility>

namespace tessera::s3 {

namespace {

using http::request_method;
using http::request_result;

constexpr std::size_t max_document = std::size_t{1} << 20;
constexpr int max_completions = 5;

std::string purpose_of_write(const bucket& target, std::string_view key) {
  return fmt::format("write key \"{}\" ({})", key, target.name());
}

}  // namespace

std::string random_mark() {
  std::random_device random;
  std::string mark;
  for (int i = 0; i < 4; ++i) mark += fmt::format("{:08x}", random());
  return mark;
}

operation put_operation(const bucket& target, std::string_view key,
                        std::span<const std::byte> value) {
  return {
      .method = request_method::put, .full_key = target.location().full_key(key), .body = value};
}

bool has_mark(bucket& target, const std::string& full_key, const std::string& mark) {
  call head(target, {.method = request_method::head, .full_key = full_key});
  const http::request& ended = head.require("read the mark of a write", true);
  return ended.result == request_result::success && ended.last_answer.header(mark_header) == mark;
}

namespace {

operation conditional_operation(const bucket& target, std::string_view key,
                                std::span<const std::byte> value, const value_version& expected,
                                const std::string& mark) {
  operation op = put_operation(target, key, value);
  op.headers.emplace_back(mark_header, mark);
  if (expected.is_known()) {
    op.headers.emplace_back("if-match", expected.text());
  } else {
    op.headers.emplace_back("if-none-match", "*");
  }
  return op;
}

}  // namespace

conditional_put::conditional_put(bucket& target, std::string_view key,
                                 std::span<const std::byte> value, const value_version& expected)
    : target_(target),
      key_(key),
      must_exist_(expected.is_known()),
      write_(target, conditional_operation(target, key, value, expected, mark_)) {}

bool conditional_put::wait() {
  const http::request& ended = write_.wait();
  if (ended.result == request_result::success) return true;
  const int status = ended.last_answer.status;
  const bool is_refused = status == 412 || (status == 404 && must_exist_);
  // A missing bucket, among other failures.
  if (!is_refused || parse_error(ended.last_answer.body).code == "NoSuchBucket") {
    write_.require(purpose_of_write(target_, key_));
  }
  return ended.may_have_acted && has_mark(target_, target_.location().full_key(key_), mark_);
}

bool put_if(bucket& target, std::string_view key, std::span<const std::byte> value,
            const value_version& expected) {
  return conditional_put(target, key, value, expected).wait();
}

pending_erasure::pending_erasure(std::shared_ptr<const void> owner, bucket& target,
                                 std::string_view key)
    : owner_(std::move(owner)),
      erasure_(
          std::make_unique<call>(target, operation{.method = request_method::erase,
                                                   .full_key = target.location().full_key(key)})) {}

pending_erasure::~pending_erasure() {
  if (process_ != ::getpid()) {
    // The thread of the request is not in a child.
    static_cast<void>(erasure_.release());
    return;
  }
  try {
    // One that failed long ago is not repeated: the value may be another writer's by now.
    if (!erasure_->is_complete()) static_cast<void>(erasure_->wait());
  } catch (const std::exception&) {
    return;
  }
}

put_queue::~put_queue() {
  for (slot& used : slots_) {
    if (used.write == nullptr) continue;
    try {
      static_cast<void>(used.write->wait());
    } catch (const std::exception&) {
      // The failures of writes that no caller waits for are ignored.
      used.write.reset();
    }
  }
}

std::size_t put_queue::submit(std::string_view key, std::span<const std::byte> value) {
  slot next{std::string(key), nullptr, true};
  bool is_well_formed = true;
  try {
    validate_key(key);
  } catch (const store_error&) {
    is_well_formed = false;
  }
  if (is_well_formed) {
    next.write = std::make_unique<call>(target_, put_operation(target_, key, value));
  }
  const auto free = std::ranges::find(slots_, false, &slot::is_used);
  const auto ticket = static_cast<std::size_t>(free - slots_.begin());
  if (free == slots_.end()) slots_.emplace_back();
  slots_[ticket] = std::move(next);
  return ticket;
}

bool put_queue::is_complete(std::size_t ticket) const {
  const slot& used = slots_[ticket];
  return used.write == nullptr || used.write->is_complete();
}

void put_queue::wait(std::size_t ticket) {
  const slot done = std::exchange(slots_[ticket], {});
  validate_key(done.key);
  done.write->require(purpose_of_write(target_, done.key));
}

part_writer::part_writer(bucket& target, std::string_view key)
    : target_(target),
      full_key_(target.location().full_key(key)),
      purpose_(purpose_of_write(target, key)),
      mark_(random_mark()) {}

part_writer::~part_writer() { abort(); }

void part_writer::append(std::span<const std::byte> piece) {
  while (!piece.empty()) {
    if (pending_.size() == part_size) begin_part();
    if (pending_.capacity() < part_size) pending_.reserve(part_size);
    const std::size_t size = std::min(piece.size(), part_size - pending_.size());
    pending_.insert(pending_.end(), piece.begin(),
                    piece.begin() + static_cast<std::ptrdiff_t>(size));
    piece = piece.subspan(size);
  }
}

void part_writer::begin_upload() {
  std::vector<std::byte> answer;
  call begin(target_, {.method = request_method::post,
                       .full_key = full_key_,
                       .query = {{"uploads", ""}},
                       .headers = {{std::string(mark_header), mark_}},
                       .growing = &answer,
                       .limit = max_document});
  begin.require(purpose_);
  upload_ = parse_upload_id(answer);
}

/// Begins the write of the pending bytes as the next part.
void part_writer::begin_part() {
  if (upload_.empty()) begin_upload();
  if (in_flight_.size() == num_parts_in_flight) finish_oldest();
  const std::size_t number = etags_.size() + in_flight_.size() + 1;
  if (number > max_parts) {
    throw store_error(
        fmt::format("cannot {}: the value has more than {} parts of 8 MiB", purpose_, max_parts),
        store_failure::too_large);
  }
  part next;
  next.write = std::make_unique<call>(
      target_, operation{.method = request_method::put,
                         .full_key = full_key_,
                         .query = {{"partNumber", std::to_string(number)}, {"uploadId", upload_}},
                         .body = pending_});
  in_flight_.push_back(std::move(next));
  // The bytes stay at their place in memory.
  in_flight_.back().bytes.swap(pending_);
}

void part_writer::finish_oldest() {
  const http::request& ended = in_flight_.front().write->require(purpose_);
  const std::string_view etag = ended.last_answer.header("etag");
  if (etag.empty()) throw store_error(fmt::format("cannot {}: a part has no ETag", purpose_));
  etags_.emplace_back(etag);
  in_flight_.pop_front();
}

void part_writer::finish() {
  if (upload_.empty()) {
    call write(target_, {.method = request_method::put, .full_key = full_key_, .body = pending_});
    write.require(purpose_);
    return;
  }
  if (!pending_.empty()) begin_part();
  while (!in_flight_.empty()) finish_oldest();
  complete();
  upload_.clear();
}

/// Joins the parts. The status may be 200 though it fails: the body has the error then.
void part_writer::complete() {
  const std::string document = complete_document(etags_);
  for (int attempt = 1;; ++attempt) {
    std::vector<std::byte> answer;
    call join(target_, {.method = request_method::post,
                        .full_key = full_key_,
                        .query = {{"uploadId", upload_}},
                        .body = std::as_bytes(std::span(document)),
                        .growing = &answer,
                        .limit = max_document});
    const http::request& ended = join.wait();
    if (ended.result == request_result::missing && (ended.may_have_acted || attempt > 1) &&
        has_mark(target_, full_key_, mark_)) {
      return;
    }
    join.require(purpose_);
    const std::string code =
        parse_error({reinterpret_cast<const char*>(answer.data()), answer.size()}).code;
    if (code.empty()) return;
    if (attempt == max_completions) {
      throw store_error(
          fmt::format("cannot {}: the server fails to join the parts ({})", purpose_, code),
          store_failure::passing);
    }
  }
}

/// Discards the parts of an upload that is not finished.
void part_writer::abort() noexcept {
  if (upload_.empty()) return;
  try {
    for (part& next : in_flight_) static_cast<void>(next.write->wait());
    call erase(
        target_,
        {.method = request_method::erase, .full_key = full_key_, .query = {{"uploadId", upload_}}});
    static_cast<void>(erase.wait());
  } catch (const std::exception&) {
    // Buckets may have a rule that removes such parts with time.
    upload_.clear();
  }
}

}  // namespace tessera::s3

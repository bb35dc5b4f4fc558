// SPDX-License-Identifier: Apache-2.0
#include "store/s3/s3_store.hpp"

#include "tessera/core/error.hpp"

#include "store/http/document_key.hpp"
#include "store/http/host_limits.hpp"
#include "store/http/response.hpp"
#include "store/s3/read_queue.hpp"
#include "store/s3/recipe_options.hpp"
#include "store/s3/server_claim.hpp"
#include "store/s3/value_read.hpp"
#include "store/s3/value_writes.hpp"
#include "store/unfinished_write.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>

namespace tessera::s3 {

namespace {

using http::request_method;
using http::request_result;

/// The size from which on a value is written in parts: 5 GiB.
constexpr std::size_t max_put = std::size_t{5} << 30;

std::string_view without_quotes(std::string_view etag) {
  return etag.size() < 2 ? etag : etag.substr(1, etag.size() - 2);
}

}  // namespace

s3_store::s3_store(bucket_location location, s3_options options, std::string region)
    : options_(std::move(options)), bucket_(std::move(location), options_, std::move(region)) {}

std::optional<store_recipe> s3_store::recipe() const {
  if (!options_.keys.access_key_id.empty()) return std::nullopt;
  return store_recipe{bucket_.location().scheme, bucket_.location().place(), text_of(options_)};
}

store_traits s3_store::traits() const {
  return {.has_ranges = true,
          .has_creation = true,
          .has_conditions = true,
          .latency = std::chrono::milliseconds(30),
          .bandwidth = bytes(60'000'000),
          .num_requests = http::host_limits::max_window,
          .kept = bytes(12'000'000),
          .kept_per_request = bytes(300'000)};
}

std::string s3_store::location_of(std::string_view key) const {
  return fmt::format("key \"{}\" ({})", key, name());
}

bool s3_store::is_missing_by_denial(std::string_view key) const {
  return options_.denied_is_missing && !http::is_document_key(key);
}

std::unique_ptr<value_read> s3_store::begin_read(const read_request& request) const {
  validate_key(request.key);
  return std::make_unique<value_read>(bucket_, request);
}

std::optional<value_part> s3_store::finish_read(value_read& read, std::string_view key) const {
  try {
    return read.wait("read " + location_of(key));
  } catch (const access_denied&) {
    if (is_missing_by_denial(key)) return std::nullopt;
    throw;
  }
}

std::optional<value_part> s3_store::read_part(std::string_view key, const byte_range& range,
                                              std::span<std::byte> into) const {
  return finish_read(*begin_read({key, range, into}), key);
}

std::optional<std::size_t> s3_store::read(std::string_view key, std::span<std::byte> into) const {
  validate_key(key);
  value_read read(bucket_, {.key = key, .into = into}, into.size());
  const auto part = finish_read(read, key);
  return part ? std::optional(part->size) : std::nullopt;
}

std::optional<std::vector<std::byte>> s3_store::read_all(std::string_view key,
                                                         std::size_t limit) const {
  validate_key(key);
  std::vector<std::byte> value;
  try {
    call read(bucket_,
              {.full_key = bucket_.location().full_key(key), .growing = &value, .limit = limit});
    const http::request& ended = read.require("read " + location_of(key), true);
    if (ended.result == request_result::missing) return std::nullopt;
  } catch (const access_denied&) {
    if (is_missing_by_denial(key)) return std::nullopt;
    throw;
  }
  return value;
}

std::optional<std::size_t> s3_store::size(std::string_view key) const {
  validate_key(key);
  try {
    call head(bucket_,
              {.method = request_method::head, .full_key = bucket_.location().full_key(key)});
    const http::request& ended = head.require("read " + location_of(key), true);
    if (ended.result == request_result::missing) return std::nullopt;
    if (!ended.last_answer.header("content-length").empty()) {
      return static_cast<std::size_t>(ended.part.value_size);
    }
  } catch (const access_denied&) {
    if (is_missing_by_denial(key)) return std::nullopt;
    throw;
  }
  // The head tells no size: a range of one byte does.
  const auto part = read_part(key, {0, 1}, {});
  return part ? std::optional(static_cast<std::size_t>(part->value_size)) : std::nullopt;
}

std::unique_ptr<read_queue> s3_store::reads() const {
  return std::make_unique<s3_read_queue>(*this);
}

void s3_store::write(std::string_view key, std::span<const std::byte> value) {
  validate_key(key);
  if (value.size() > max_put) {
    part_writer parts(bucket_, key);
    parts.append(value);
    return parts.finish();
  }
  call write(bucket_, put_operation(bucket_, key, value));
  write.require("write " + location_of(key));
}

namespace {

/// The key of a value that is removed at the end of its test, whether the test fails or not.
class key_of_test {
 public:
  explicit key_of_test(s3_store& store) : store_(store) {}
  key_of_test(const key_of_test&) = delete;
  key_of_test& operator=(const key_of_test&) = delete;
  ~key_of_test() {
    try {
      store_.erase(text_);
    } catch (const std::exception&) {
      // A later process removes the value after its silence.
      return;
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  s3_store& store_;
  std::string text_ = fmt::format("{}/{}", folder_of_tests, detail::unfinished_suffix().view());
};

}  // namespace

/// Asks the server by writes of the value at `key`, which no program reads. Writes that it must
/// refuse are in flight at once, and `beside` is called while the value is created.
template <class Call>
condition_form s3_store::find_condition_form(const std::string& key, Call beside) {
  const auto value = std::as_bytes(std::span(std::string_view("probe")));
  const auto begin = [&](std::string_view version) {
    return conditional_put(bucket_, key, value, value_version(version));
  };
  conditional_put creation = begin("");
  beside();
  if (!creation.wait()) return condition_form::none;
  conditional_put second_creation = begin("");
  conditional_put wrong_version = begin("\"another\"");
  const std::unique_ptr<value_read> reading = begin_read({key, {}, {}});
  const bool is_created_twice = second_creation.wait();
  const bool is_replaced = wrong_version.wait();
  const auto part = finish_read(*reading, key);
  if (is_created_twice || is_replaced) return condition_form::none;
  const std::string version(part ? part->version.text() : "");
  if (begin(version).wait()) return condition_form::quoted;
  return begin(without_quotes(version)).wait() ? condition_form::unquoted : condition_form::none;
}

/// Removes the tests of killed processes. Whoever may not list the bucket leaves them. The test of
/// this process, which may be going on, is never an old one, even if the dates of answers jump.
void s3_store::remove_old_tests() noexcept {
  try {
    for (const std::string& name : names_of_claims(std::string(folder_of_tests))) {
      if (detail::has_writer_ended(name) == false) continue;
      const std::string key = fmt::format("{}/{}", folder_of_tests, name);
      const auto test = read_dated(key);
      if (test && is_gone(name, test->age)) erase(key);
    }
  } catch (const std::exception&) {
    return;
  }
}

namespace {

/// The form of the conditions of a bucket. It is known, or a thread of `process` asks for it.
struct asked_form {
  std::shared_future<condition_form> form;
  pid_t process = ::getpid();
};

/// The forms of the conditions of buckets, and the names of the stores without tests of killed
/// processes, as far as this process knows.
class known_forms {
 public:
  /// Returns the form of `bucket`, which another thread may be asking for, or nullopt if the caller
  /// must ask, and tell.
  [[nodiscard]] std::optional<std::shared_future<condition_form>> find_or_ask(
      const std::string& bucket, std::shared_future<condition_form> form) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = forms_.try_emplace(bucket, asked_form{form});
    const bool is_known =
        !is_new && (entry->second.process == ::getpid() || is_ready(entry->second));
    if (is_known) return entry->second.form;
    // The thread that asked is not in this process.
    if (!is_new) entry->second = {std::move(form)};
    return std::nullopt;
  }
  void forget(const std::string& bucket) {
    const std::lock_guard lock(mutex_);
    forms_.erase(bucket);
  }
  /// Notes that a store is clean; returns whether that is new.
  [[nodiscard]] bool is_newly_clean(std::string store) {
    const std::lock_guard lock(mutex_);
    return clean_stores_.insert(std::move(store)).second;
  }

 private:
  [[nodiscard]] static bool is_ready(const asked_form& asked) {
    return asked.form.wait_for(std::chrono::seconds::zero()) == std::future_status::ready;
  }

  std::mutex mutex_;
  std::map<std::string, asked_form> forms_;
  std::set<std::string> clean_stores_;
};

known_forms& forms_of_process() {
  static auto& forms = *new known_forms;
  return forms;
}

}  // namespace

/// Returns the form of the server's conditions. A server that is not Amazon's is asked once for
/// each bucket: other threads wait for the answer of the first one, and ask if it fails. The value
/// of the test is removed when they have the answer.
///
/// A killed process may have left its test in the store that it wrote to first. The tests of
/// processes that go on stay.
condition_form s3_store::form_of_conditions() {
  const bucket_location& location = bucket_.location();
  if (location.is_amazon()) return condition_form::quoted;
  const std::string name = fmt::format("{}/{}", location.endpoint, location.bucket);
  known_forms& known = forms_of_process();
  const auto clean = [&] {
    if (known.is_newly_clean(this->name())) remove_old_tests();
  };
  while (true) {
    std::promise<condition_form> answer;
    if (const auto form = known.find_or_ask(name, answer.get_future().share())) {
      clean();
      try {
        return form->get();
      } catch (const std::exception&) {
        // The asking store may have had other credentials: this one asks.
        continue;
      }
    }
    try {
      const key_of_test test(*this);
      const condition_form form = find_condition_form(test.text(), clean);
      answer.set_value(form);
      return form;
    } catch (...) {
      known.forget(name);
      answer.set_exception(std::current_exception());
      throw;
    }
  }
}

bool s3_store::write_if(std::string_view key, std::span<const std::byte> value,
                        const value_version& expected) {
  validate_key(key);
  const condition_form form = form_of_conditions();
  if (form == condition_form::none) {
    throw store_error(
        fmt::format("cannot write {} on a condition: the server ignores If-None-Match or If-Match",
                    location_of(key)),
        store_failure::unsupported);
  }
  const std::string_view version = expected.text();
  return put_if(bucket_, key, value,
                value_version(form == condition_form::quoted ? version : without_quotes(version)));
}

std::unique_ptr<write_queue> s3_store::writes() { return std::make_unique<put_queue>(bucket_); }

std::unique_ptr<value_writer> s3_store::writer(std::string_view key) {
  validate_key(key);
  return std::make_unique<part_writer>(bucket_, key);
}

std::size_t s3_store::writer_memory() const {
  const store_traits client = traits();
  const bytes requests = client.kept_per_request * part_writer::num_parts_in_flight;
  return part_writer::memory + static_cast<std::size_t>((client.kept + requests).count());
}

void s3_store::prepare_claims() { static_cast<void>(form_of_conditions()); }

std::unique_ptr<pending_erasure> s3_store::begin_erase(std::string_view key) {
  validate_key(key);
  return std::make_unique<pending_erasure>(shared_from_this(), bucket_, key);
}

std::unique_ptr<store_lock> s3_store::lock(std::string_view key, std::string_view /*intent*/) {
  validate_key(key);
  return nullptr;
}

std::unique_ptr<store_claim> s3_store::claim(std::string_view key, std::string_view text,
                                             const claim_judge& admit) {
  validate_key(key);
  if (form_of_conditions() == condition_form::none) return key_value_store::claim(key, text, admit);
  return claim_on_server(shared_from_this(), key, text, admit);
}

std::optional<dated_value> s3_store::read_dated(std::string_view key) const {
  constexpr std::size_t most = std::size_t{64} << 10;
  validate_key(key);
  std::vector<std::byte> value;
  call read(bucket_,
            {.full_key = bucket_.location().full_key(key), .growing = &value, .limit = most});
  const http::request& ended = read.require("read " + location_of(key), true);
  if (ended.result == request_result::missing) return std::nullopt;
  const auto time = [&](std::string_view header) {
    return http::parse_date(std::string(ended.last_answer.header(header)));
  };
  const auto written = time("last-modified");
  const auto now = time("date");
  if (!written || !now) {
    throw store_error(fmt::format("cannot read {}: the answer has no times", location_of(key)));
  }
  return dated_value{{reinterpret_cast<const char*>(value.data()), value.size()},
                     ended.part.version,
                     std::chrono::seconds(*now - *written)};
}

std::optional<std::chrono::seconds> s3_store::age_of(std::string_view key) const {
  const auto value = read_dated(key);
  if (!value) return std::nullopt;
  return value->age;
}

}  // namespace tessera::s3

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An HTTP server on loopback with the answers of a test.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tessera::testing {

/// A request as the server has received it. The names of headers are in lower case.
struct received_request {
  std::string method;
  std::string target;
  /// The target with each "%XX" as its byte.
  std::string decoded_target;
  std::map<std::string, std::string> headers;
  std::string body;
  /// The number of earlier requests.
  std::size_t number = 0;

  [[nodiscard]] std::string header(const std::string& name) const {
    const auto entry = headers.find(name);
    return entry == headers.end() ? "" : entry->second;
  }
};

struct reply {
  int status = 200;
  std::vector<std::string> headers = {};
  std::string body = {};
  std::chrono::milliseconds delay{0};
  /// The connection is closed after so many bytes of the body, although the head tells more.
  std::optional<std::size_t> cut = {};
  bool tells_length = true;
  /// Whether the answer has no body, although its head tells a length, as for HEAD.
  bool is_head = false;
  /// If not 0, the body comes in pieces of so many bytes, with a pause in front of each.
  std::size_t piece = 0;
  std::chrono::milliseconds pause{0};
};

/// A thread for each connection calls the function for each request.
class test_server {
 public:
  using answer = std::function<reply(const received_request&)>;

  /// The address is one of loopback, 127.0.0.x.
  explicit test_server(answer answers, std::string address = "127.0.0.1");
  test_server(const test_server&) = delete;
  test_server& operator=(const test_server&) = delete;
  ~test_server();

  /// Returns "http://<address>:<port>".
  [[nodiscard]] std::string url() const { return "http://" + host(); }
  [[nodiscard]] std::string host() const { return address_ + ":" + std::to_string(port_); }
  [[nodiscard]] std::size_t num_requests() const { return num_requests_; }
  /// Returns the largest number of requests that were in flight at once.
  [[nodiscard]] std::size_t max_in_flight() const { return max_in_flight_; }
  /// Returns the targets of the requests, in order.
  [[nodiscard]] std::vector<std::string> targets() const;

 private:
  /// Joins threads that are ending, and closes their connections.
  static void join(std::map<int, std::thread> threads);
  [[nodiscard]] std::map<int, std::thread> take_ended();
  void accept_connections();
  void serve(int connection);
  [[nodiscard]] bool answer_request(int connection, received_request request);

  answer answers_;
  std::string address_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<std::size_t> num_requests_ = 0;
  std::atomic<std::size_t> num_in_flight_ = 0;
  std::atomic<std::size_t> max_in_flight_ = 0;
  mutable std::mutex mutex_;
  /// By connections, which are open as long as the thread is here.
  std::map<int, std::thread> threads_;
  /// The connections whose threads are ending.
  std::vector<int> ended_;
  std::vector<std::string> targets_;
  bool is_closing_ = false;
  std::thread acceptor_;
};

/// Returns the answer of a server with ranges and conditions (RFC 9110), nullopt for a missing
/// value.
[[nodiscard]] reply answer_with(const received_request& request,
                                const std::optional<std::string>& value,
                                const std::string& etag = "");

}  // namespace tessera::testing

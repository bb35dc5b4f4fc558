// SPDX-License-Identifier: Apache-2.0
#include "unit/store/http/test_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace tessera::testing {

namespace {

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%';
    result += is_code
                  ? static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16))
                  : text[i];
    if (is_code) i += 2;
  }
  return result;
}

received_request parse_head(std::string_view head) {
  received_request request;
  const std::size_t blank = head.find(' ');
  request.method = head.substr(0, blank);
  request.target = head.substr(blank + 1, head.find(' ', blank + 1) - blank - 1);
  request.decoded_target = decoded(request.target);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    at += line.size() + 2;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string name(line.substr(0, colon));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    request.headers[name] = line.substr(colon + 2);
  }
  return request;
}

}  // namespace

test_server::test_server(answer answers, std::string where)
    : answers_(std::move(answers)), address_(std::move(where)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, address_.c_str(), &address.sin_addr);
  socklen_t size = sizeof(address);
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, general, size) != 0 || ::listen(listener_, 256) != 0 ||
      ::getsockname(listener_, general, &size) != 0) {
    throw std::runtime_error("the test server has no port");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_connections(); });
}

test_server::~test_server() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (const auto& [connection, thread] : threads_) ::shutdown(connection, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  join(std::exchange(threads_, {}));
  ::close(listener_);
}

std::vector<std::string> test_server::targets() const {
  const std::lock_guard lock(mutex_);
  return targets_;
}

void test_server::join(std::map<int, std::thread> threads) {
  for (auto& [connection, thread] : threads) {
    thread.join();
    ::close(connection);
  }
}

/// Returns the threads that have ended, by their connections.
std::map<int, std::thread> test_server::take_ended() {
  std::map<int, std::thread> ended;
  for (const int connection : std::exchange(ended_, {})) {
    ended.insert(threads_.extract(connection));
  }
  return ended;
}

void test_server::accept_connections() {
  while (true) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    std::map<int, std::thread> ended;
    {
      const std::lock_guard lock(mutex_);
      ended = take_ended();
      if (is_closing_ && connection >= 0) ::close(connection);
      if (!is_closing_ && connection >= 0) {
        const int on = 1;
        ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        threads_.emplace(connection, [this, connection] { serve(connection); });
      }
    }
    join(std::move(ended));
    const std::lock_guard lock(mutex_);
    if (is_closing_) return;
  }
}

void test_server::serve(int connection) {
  std::string received;
  char buffer[4096];
  while (true) {
    const std::size_t end = received.find("\r\n\r\n");
    if (end == std::string::npos) {
      const ssize_t size = ::recv(connection, buffer, sizeof(buffer), 0);
      if (size <= 0) break;
      received.append(buffer, static_cast<std::size_t>(size));
      continue;
    }
    received_request request = parse_head(std::string_view(received).substr(0, end + 2));
    const std::string length = request.header("content-length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    while (received.size() < end + 4 + size) {
      const ssize_t count = ::recv(connection, buffer, sizeof(buffer), 0);
      if (count <= 0) break;
      received.append(buffer, static_cast<std::size_t>(count));
    }
    request.body = received.substr(end + 4, size);
    received.erase(0, end + 4 + size);
    if (!answer_request(connection, std::move(request))) break;
  }
  ::shutdown(connection, SHUT_RDWR);
  const std::lock_guard lock(mutex_);
  ended_.push_back(connection);
}

bool test_server::answer_request(int connection, received_request request) {
  request.number = num_requests_++;
  {
    const std::lock_guard lock(mutex_);
    targets_.push_back(request.target);
  }
  const std::size_t now = ++num_in_flight_;
  for (std::size_t most = max_in_flight_; most < now;) {
    if (max_in_flight_.compare_exchange_weak(most, now)) break;
  }
  const reply given = answers_(request);
  std::this_thread::sleep_for(given.delay);
  --num_in_flight_;
  std::string text = "HTTP/1.1 " + std::to_string(given.status) + " Text\r\n";
  for (const std::string& line : given.headers) text += line + "\r\n";
  if (given.tells_length) text += "Content-Length: " + std::to_string(given.body.size()) + "\r\n";
  text += "\r\n";
  const std::string_view body =
      std::string_view(given.body).substr(0, given.cut.value_or(given.body.size()));
  if (given.piece == 0 && !given.is_head) text += body;
  if (!send_all(connection, text)) return false;
  for (std::size_t at = 0; given.piece > 0 && at < body.size(); at += given.piece) {
    std::this_thread::sleep_for(given.pause);
    if (!send_all(connection, body.substr(at, given.piece))) return false;
  }
  return !given.cut && given.tells_length;
}

reply answer_with(const received_request& request, const std::optional<std::string>& value,
                  const std::string& etag) {
  if (!value) return {.status = 404};
  reply given;
  if (!etag.empty()) given.headers.push_back("ETag: " + etag);
  const std::string condition = request.header("if-match");
  if (!condition.empty() && condition != etag) return {.status = 412};
  const std::string range = request.header("range");
  if (range.empty()) {
    given.body = *value;
    return given;
  }
  const std::uint64_t size = value->size();
  const std::size_t dash = range.find('-');
  const std::string first_text = range.substr(6, dash - 6);
  const std::string last_text = range.substr(dash + 1);
  std::uint64_t first = 0;
  std::uint64_t last = size - 1;
  if (first_text.empty()) {
    first = size - std::min<std::uint64_t>(std::stoull(last_text), size);
  } else {
    first = std::stoull(first_text);
    if (!last_text.empty()) last = std::min<std::uint64_t>(std::stoull(last_text), size - 1);
  }
  if (first >= size) {
    given.status = 416;
    given.headers.push_back("Content-Range: bytes */" + std::to_string(size));
    return given;
  }
  given.status = 206;
  given.body = value->substr(first, last - first + 1);
  given.headers.push_back("Content-Range: bytes " + std::to_string(first) + "-" +
                          std::to_string(last) + "/" + std::to_string(size));
  return given;
}

}  // namespace tessera::testing

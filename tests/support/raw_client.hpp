#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace abut {

/// A TCP connection to this machine that sends what it is told, sense or not.
class RawClient {
 public:
  explicit RawClient(int port) : port_(port), fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{60, 0};  // a test waits for what comes, and fails if nothing does
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("cannot connect");
    }
  }
  ~RawClient() {
    if (fd_ >= 0) ::close(fd_);
  }
  RawClient(RawClient&& other) noexcept
      : port_(other.port_), fd_(std::exchange(other.fd_, -1)), rest_(std::move(other.rest_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  int port() const { return port_; }

  /// False once the other side has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Ends the connection, also for another thread that sends.
  void shut_down() { ::shutdown(fd_, SHUT_RDWR); }

  /// So many bytes, or fewer if it ends before.
  std::string read(std::size_t count) {
    char buffer[16384];
    while (rest_.size() < count) {
      const ssize_t got = ::recv(fd_, buffer, sizeof buffer, 0);
      if (got <= 0) {
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
          throw std::runtime_error("nothing came for a minute");
        }
        break;
      }
      rest_.append(buffer, static_cast<std::size_t>(got));
    }
    const std::string bytes = rest_.substr(0, count);
    rest_.erase(0, count);
    return bytes;
  }
  /// Up to the end of the connection.
  std::string read_all() { return read(std::string::npos / 2); }
  /// Up to and with `end`.
  std::string read_until(std::string_view end) {
    std::string text;
    while (text.size() < end.size() || text.substr(text.size() - end.size()) != end) {
      const std::string next = read(1);
      if (next.empty()) break;
      text += next;
    }
    return text;
  }

 private:
  int port_, fd_;
  std::string rest_;
};

/// A request of a well-behaved client, with further fields ("Name: value\r\n").
inline std::string http_get(int port, const std::string& target, const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" +
         fields + "\r\n";
}

/// What the server at `port` answers to these bytes, whole.
inline std::string http_answer(int port, const std::string& request) {
  RawClient client(port);
  client.send(request);
  return client.read_all();
}

/// The whole number with which a text begins; 0 if there is none.
inline int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "HTTP/1.1 404 Not Found..." -> 404; 0 if there is no answer.
inline int http_status(std::string_view answer) {
  return answer.size() < 12 ? 0 : leading_number(answer.substr(9));
}

/// "http://127.0.0.1:8080/..." -> 8080
inline int port_of(std::string_view url) {
  return leading_number(url.substr(std::string_view("http://127.0.0.1:").size()));
}

/// The client's side of a WebSocket, which can also break its rules.
class RawSocket {
 public:
  enum Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9 };
  struct Frame {
    int opcode = -1;  ///< -1: the connection has ended
    std::string payload;
  };

  RawSocket(int port, const std::string& target, const std::string& fields = "") : client_(port) {
    client_.send(http_get(port, target,
                          "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                          "Sec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                              fields));
    head_ = client_.read_until("\r\n\r\n");
  }

  int status() const { return http_status(head_); }

  bool send(std::string_view payload, Opcode opcode = text, bool last = true, bool masked = true) {
    std::string frame;
    frame += static_cast<char>((last ? 0x80 : 0) | opcode);
    const int mask_bit = masked ? 0x80 : 0;
    if (payload.size() < 126) {
      frame += static_cast<char>(mask_bit | static_cast<int>(payload.size()));
    } else {
      const bool is_long = payload.size() > 65535;
      frame += static_cast<char>(mask_bit | (is_long ? 127 : 126));
      for (int shift = is_long ? 56 : 8; shift >= 0; shift -= 8) {
        frame += static_cast<char>(payload.size() >> shift & 255);
      }
    }
    if (!masked) return client_.send(frame.append(payload));
    const char mask[] = {0x12, 0x34, 0x56, 0x78};
    frame.append(mask, 4);
    for (std::size_t i = 0; i < payload.size(); ++i) frame += payload[i] ^ mask[i % 4];
    return client_.send(frame);
  }

  void shut_down() { client_.shut_down(); }

  Frame receive() {
    const std::string head = client_.read(2);
    if (head.size() < 2) return {};
    std::uint64_t size = head[1] & 127;
    if (size >= 126) {
      const std::string more = client_.read(size == 126 ? 2 : 8);
      size = 0;
      for (const char c : more) size = size << 8 | static_cast<unsigned char>(c);
    }
    return {head[0] & 15, client_.read(size)};
  }

  /// The next message of a kind, others passed over; nothing if the connection ends before.
  std::optional<std::string> receive(Opcode opcode) {
    for (;;) {
      Frame f = receive();
      if (f.opcode == opcode) return f.payload;
      if (f.opcode == -1 || f.opcode == close) return {};
    }
  }

  /// The code with which the server closes, whatever it sends before; 0 if it gives none.
  int close_code() {
    const auto payload = receive(close);
    if (!payload || payload->size() < 2) return 0;
    return static_cast<unsigned char>((*payload)[0]) << 8 |
           static_cast<unsigned char>((*payload)[1]);
  }

 private:
  RawClient client_;
  std::string head_;
};

}  // namespace abut

#include "abut/view/live/live_server.hpp"

#include <fcntl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <set>
#include <thread>

#include "abut/io/file_descriptor.hpp"
#include "abut/view/live/messages.hpp"
#include "abut/view/live/request_rules.hpp"

namespace abut {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using beast::error_code;
using namespace std::chrono_literals;

constexpr int usual_port = 8420, ports_to_try = 20;
constexpr int most_clients = 64;
constexpr std::uint32_t largest_header = 16 * 1024;
constexpr auto request_time = 10s;                 // for a request, and for each part of an answer
constexpr auto poll_time = 8ms;                    // how often frames are looked for
constexpr std::size_t most_unsent = 64;            // texts to a page that reads slowly
constexpr std::size_t longest_unread = 64 * 1024;  // bytes read that make no whole message

/// Who is started by this process should not keep the port.
void close_on_exec(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// Refuses a client that sends more than it could mean.
class MessageRate {
 public:
  bool accept() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    left_ = std::min(burst, left_ + rate * passed.count()) - 1;
    return left_ >= 0;
  }

 private:
  static constexpr double rate = 500, burst = 1000;  // messages per second, and at once
  double left_ = burst;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Counts what is read of a connection. Fragments of a message that are empty come to nobody else's
/// notice.
class ByteCount {
 public:
  std::size_t read() const { return read_; }

 private:
  friend class beast::rate_policy_access;
  static std::size_t available_read_bytes() { return SIZE_MAX; }
  static std::size_t available_write_bytes() { return SIZE_MAX; }
  void transfer_read_bytes(std::size_t n) { read_ += n; }
  void transfer_write_bytes(std::size_t) {}
  void on_timer() {}

  std::size_t read_ = 0;
};

using Stream = beast::basic_stream<tcp, asio::any_io_executor, ByteCount>;
using Text = std::shared_ptr<const std::string>;

/// The newest of what all pages are sent.
struct Newest {
  Text scene, state, frame;
  std::uint64_t state_number = 0, frame_number = 0;
};

/// Only what this server hands out runs, and it can talk to this server only.
std::string content_policy(int port) {
  std::string at = ":";
  at += std::to_string(port);
  std::string policy = "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'";
  policy.append(" ws://127.0.0.1").append(at).append(" ws://localhost").append(at);
  return policy +
         "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";
}

class Socket;
class Session;

/// What sessions need of the server.
struct Host {
  LiveSimulation& simulation;
  LivePage page;
  LiveAddress address = {};
  std::string policy = {};  ///< what the browser lets the page do
  Newest newest = {};
  std::set<Socket*> sockets = {};
  std::list<Session*> strangers = {};  ///< who has not shown the token yet, the oldest first
  int connections = 0, clients = 0;

  void change_watchers() { simulation.watch(static_cast<int>(sockets.size())); }
};

/// Counts a connection as long as it lives.
class Place {
 public:
  explicit Place(Host& host) : host_(host) { ++host_.connections; }
  ~Place() { --host_.connections; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  Host& host_;
};

/// One page that watches.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(Host& host, std::unique_ptr<Place> place, Stream stream)
      : host_(host),
        place_(std::move(place)),
        client_(++host.clients),
        stream_(std::move(stream)) {}

  ~Socket() {
    if (host_.sockets.erase(this) == 0) return;
    host_.change_watchers();
    host_.simulation.forget(client_);
  }

  int client() const { return client_; }

  void start(const http::request<http::empty_body>& request) {
    beast::get_lowest_layer(stream_).expires_never();  // the WebSocket has its own limits
    stream_.set_option(websocket::stream_base::timeout{
        .handshake_timeout = request_time, .idle_timeout = 60s, .keep_alive_pings = true});
    stream_.read_message_max(longest_command);
    stream_.auto_fragment(false);
    stream_.control_callback([this](websocket::frame_type, beast::string_view) { count(); });
    stream_.async_accept(request,
                         beast::bind_front_handler(&Socket::on_accept, shared_from_this()));
  }

  /// Closes if much was read that ended no message.
  void check_unread() {
    const std::size_t read = beast::get_lowest_layer(stream_).rate_policy().read();
    if (read - read_before_ > longest_unread) close(websocket::close_code::policy_error);
  }

  /// To be sent as soon as the socket is free. A page that does not read loses the oldest.
  void tell(const std::string& message) {
    if (texts_.size() >= most_unsent) texts_.pop_front();
    texts_.push_back(std::make_shared<const std::string>(message));
  }

  /// Sends what is newest, unless something is on its way still.
  void pump() {
    if (writing_ != nullptr || closing_) return;
    if (!texts_.empty()) {
      writing_ = texts_.front();
      texts_.pop_front();
      stream_.text(true);
    } else if (state_ != host_.newest.state_number) {
      writing_ = host_.newest.state;
      state_ = host_.newest.state_number;
      stream_.text(true);
    } else if (frame_ != host_.newest.frame_number) {
      writing_ = host_.newest.frame;
      frame_ = host_.newest.frame_number;
      stream_.binary(true);
    }
    if (writing_ == nullptr) return;
    stream_.async_write(asio::buffer(*writing_),
                        beast::bind_front_handler(&Socket::on_write, shared_from_this()));
  }

 private:
  void on_accept(error_code error) {
    if (error) return;
    host_.sockets.insert(this);
    host_.change_watchers();
    texts_.push_back(host_.newest.scene);
    if (const std::string& failure = host_.simulation.status().failure; !failure.empty()) {
      tell(error_message(failure, false));
    }
    pump();
    read();
  }

  void read() {
    stream_.async_read(buffer_, beast::bind_front_handler(&Socket::on_read, shared_from_this()));
  }

  void on_read(error_code error, std::size_t) {
    if (error) return;  // Beast has closed it and said why: 1002, 1007 or 1009
    read_before_ = beast::get_lowest_layer(stream_).rate_policy().read();
    if (!count()) return;
    if (!stream_.got_text()) return close(websocket::close_code::unknown_data);
    obey(beast::buffers_to_string(buffer_.data()));
    buffer_.consume(buffer_.size());
    pump();
    read();
  }

  void obey(const std::string& message) {
    try {
      if (!host_.simulation.post(client_, parse_command(message))) {
        fail_input("too many commands are waiting: this one is dropped");
      }
    } catch (const InputError& e) {
      tell(error_message(e.what(), true));
    }
  }

  /// False if there were too many messages: the socket closes.
  bool count() {
    if (rate_.accept()) return !closing_;
    close(websocket::close_code::policy_error);
    return false;
  }

  void close(websocket::close_code code) {
    if (closing_) return;
    closing_ = true;
    beast::get_lowest_layer(stream_).expires_after(request_time);
    stream_.async_close(code, [self = shared_from_this()](error_code) {});
  }

  void on_write(error_code error, std::size_t) {
    writing_.reset();
    if (!error) pump();
  }

  Host& host_;
  std::unique_ptr<Place> place_;
  int client_;
  websocket::stream<Stream> stream_;
  beast::flat_buffer buffer_;
  MessageRate rate_;
  std::size_t read_before_ = 0;  ///< bytes, at the end of the last message
  std::deque<Text> texts_;
  std::uint64_t state_ = 0, frame_ = 0;  ///< the last ones sent
  Text writing_;
  bool closing_ = false;
};

/// One request, one answer.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Host& host, tcp::socket socket)
      : host_(host),
        place_(std::make_unique<Place>(host)),
        stream_(std::move(socket)),
        stranger_(host.strangers.insert(host.strangers.end(), this)) {}
  ~Session() { become_known(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Makes room for another one.
  void leave() {
    become_known();
    error_code ignored;
    static_cast<void>(stream_.socket().close(ignored));
  }

  void start() {
    parser_.header_limit(largest_header);
    stream_.expires_after(request_time);  // for all of it, however many pieces it comes in
    http::async_read_header(stream_, buffer_, parser_,
                            beast::bind_front_handler(&Session::on_header, shared_from_this()));
  }

 private:
  using Bytes = http::span_body<const char>;

  void become_known() {
    if (stranger_ != host_.strangers.end()) host_.strangers.erase(stranger_);
    stranger_ = host_.strangers.end();
  }

  void on_header(error_code error, std::size_t) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return refuse(431, "the header is longer than 16 KiB");
    }
    if (error && error != http::error::end_of_stream && error != http::error::partial_message &&
        error.category() == make_error_code(http::error::bad_method).category()) {
      return refuse(400, "this is not HTTP");
    }
    if (error) return;  // it left, or took too long
    const auto& request = parser_.get();
    const auto view = [](beast::string_view s) { return std::string_view(s.data(), s.size()); };
    const LiveVerdict verdict =
        judge({.method = view(request.method_string()),
               .target = view(request.target()),
               .hosts = static_cast<int>(request.count(http::field::host)),
               .host = view(request[http::field::host]),
               .origins = static_cast<int>(request.count(http::field::origin)),
               .origin = view(request[http::field::origin])},
              host_.address);
    if (verdict.status != 200) return refuse(verdict.status, verdict.text);
    become_known();
    answer(verdict.route);
  }

  void answer(LiveRoute route) {
    const LivePage& page = host_.page;
    switch (route) {
      case LiveRoute::none: return refuse(404, "nothing has this name");
      case LiveRoute::page: return send(200, "text/html; charset=utf-8", page.html);
      case LiveRoute::script: return send(200, "text/javascript; charset=utf-8", page.script);
      case LiveRoute::style: return send(200, "text/css; charset=utf-8", page.style);
      case LiveRoute::recording: return send_recording();
      case LiveRoute::socket: break;
    }
    if (!websocket::is_upgrade(parser_.get()))
      return refuse(426, "this address takes WebSocket connections only");
    if (buffer_.size() > 0) return refuse(400, "data came before the WebSocket was open");
    auto socket = std::make_shared<Socket>(host_, std::move(place_), std::move(stream_));
    socket->start(parser_.release());
  }

  template <class Body>
  std::shared_ptr<http::response<Body>> make_response(int status, beast::string_view type) {
    auto r = std::make_shared<http::response<Body>>();
    r->result(static_cast<unsigned>(status));
    r->keep_alive(false);
    r->set(http::field::content_type, type);
    r->set("Content-Security-Policy", host_.policy);
    r->set("X-Content-Type-Options", "nosniff");
    r->set("Cross-Origin-Resource-Policy", "same-origin");
    r->set("Cross-Origin-Opener-Policy", "same-origin");
    r->set("Referrer-Policy", "no-referrer");
    r->set(http::field::cache_control, "no-store");
    return r;
  }

  void refuse(int status, const char* text) { send(status, "text/plain; charset=utf-8", text); }

  /// `body` must stay where it is.
  void send(int status, const char* type, std::string_view body) {
    auto r = make_response<Bytes>(status, type);
    r->body() = {body.data(), body.size()};
    if (status == 405) r->set(http::field::allow, "GET");
    write(std::move(r));
  }

  void send_recording() {
    const std::string& path = host_.simulation.status().recording_path;
    http::file_body::value_type file;
    error_code error;
    if (!path.empty()) file.open(path.c_str(), beast::file_mode::scan, error);
    if (path.empty() || error) return refuse(404, "no recording has ended yet");
    auto r = make_response<http::file_body>(200, "application/octet-stream");
    r->set(http::field::content_disposition, "attachment; filename=\"recording.bin\"");
    r->body() = std::move(file);
    write(std::move(r));
  }

  template <class Body>
  void write(std::shared_ptr<http::response<Body>> response) {
    response->prepare_payload();
    write_part(response, std::make_shared<http::response_serializer<Body>>(*response));
  }

  /// In parts, since of a large one only the speed is limited.
  template <class Response, class Serializer>
  void write_part(std::shared_ptr<Response> response, std::shared_ptr<Serializer> serializer) {
    stream_.expires_after(request_time);
    http::async_write_some(
        stream_, *serializer,
        [self = shared_from_this(), response, serializer](error_code error, std::size_t) {
          if (error) return;
          if (!serializer->is_done()) return self->write_part(response, serializer);
          static_cast<void>(self->stream_.socket().shutdown(tcp::socket::shutdown_send, error));
          self->stream_.expires_after(1s);
          self->drain();
        });
  }

  /// What it still sends is read, so that the answer is not lost by a reset; for a second at most.
  void drain() {
    if (drained_ >= most_drained) return;
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              self->drained_ += size;
                              if (!error) self->drain();
                            });
  }

  static constexpr std::size_t most_drained = 1 << 20;
  Host& host_;
  std::unique_ptr<Place> place_;
  Stream stream_;
  std::list<Session*>::iterator stranger_;
  beast::flat_buffer buffer_{4 * largest_header};
  http::request_parser<http::empty_body> parser_;
  std::array<char, 4096> rest_;
  std::size_t drained_ = 0;
};

}  // namespace

class LiveServer::Impl {
 public:
  Impl(LiveSimulation& simulation, const LivePage& page, std::optional<int> port)
      : host_{.simulation = simulation, .page = page} {
    listen(port);
    host_.address = {acceptor_.local_endpoint().port(), make_token()};
    host_.policy = content_policy(host_.address.port);
    host_.newest.scene = std::make_shared<const std::string>(scene_message(simulation));
    accept();
    poll();
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() {
    context_.stop();
    thread_.join();
  }

  std::string url() const { return host_.address.url(); }

 private:
  void run() {
    for (;;) {
      try {
        context_.run();
        return;
      } catch (const std::exception&) {
        continue;  // of one session, which ends: no memory, say
      }
    }
  }

  void listen(std::optional<int> port) {
    error_code error;
    if (port) {
      require(*port >= 0 && *port <= 65535, "port", *port, "", "must lie in [0, 65535]");
      if (!try_listen(*port, error)) {
        fail_input("cannot listen on 127.0.0.1:" + std::to_string(*port) + ": " + error.message());
      }
      return;
    }
    for (int p = usual_port; p < usual_port + ports_to_try; ++p) {
      if (try_listen(p, error)) return;
    }
    if (!try_listen(0, error)) throw FileError("cannot listen on 127.0.0.1: " + error.message());
  }

  bool try_listen(int port, error_code& error) {
    acceptor_ = tcp::acceptor(context_);
    const tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
    if (acceptor_.open(here.protocol(), error)) return false;
    close_on_exec(acceptor_.native_handle());
    if (acceptor_.set_option(tcp::acceptor::reuse_address(true), error)) return false;
    if (acceptor_.bind(here, error)) return false;
    return !acceptor_.listen(asio::socket_base::max_listen_connections, error);
  }

  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) {  // too many files are open, say: later there may be fewer
        accept_timer_.expires_after(100ms);
        return accept_timer_.async_wait([this](error_code stopped) {
          if (!stopped) accept();
        });
      }
      close_on_exec(socket.native_handle());
      error_code ignored;
      static_cast<void>(socket.set_option(tcp::no_delay(true), ignored));
      // who keeps a place without the token gives way
      const bool gives_way = host_.connections >= most_clients && !host_.strangers.empty();
      if (gives_way) host_.strangers.front()->leave();
      if (gives_way || host_.connections < most_clients) {
        std::make_shared<Session>(host_, std::move(socket))->start();
      }
      accept();
    });
  }

  /// Looks for what the simulation has published, often if somebody watches.
  void poll() {
    take();
    poll_timer_.expires_after(host_.sockets.empty() ? 50ms : poll_time);
    poll_timer_.async_wait([this](error_code stopped) {
      if (!stopped) poll();
    });
  }

  void take() {
    LiveSimulation& simulation = host_.simulation;
    Newest& newest = host_.newest;
    if (simulation.take_status()) {
      newest.state = std::make_shared<const std::string>(state_message(simulation.status()));
      ++newest.state_number;
    }
    if (simulation.take_frame()) {
      const std::vector<char>& frame = simulation.frame();
      newest.frame = std::make_shared<const std::string>(frame.data(), frame.size());
      ++newest.frame_number;
    }
    for (const LiveNotice& notice : simulation.take_notices()) {
      const bool to_all = notice.client == LiveNotice::everyone;
      for (Socket* s : host_.sockets) {
        if (to_all || notice.client == s->client()) s->tell(error_message(notice.text, !to_all));
      }
    }
    for (Socket* s : host_.sockets) s->check_unread();
    for (Socket* s : host_.sockets) s->pump();
  }

  Host host_;  // before the context, which destroys the sessions
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer accept_timer_{context_}, poll_timer_{context_};
  std::thread thread_;
};

LiveServer::LiveServer(LiveSimulation& simulation, const LivePage& page, std::optional<int> port)
    : impl_(std::make_unique<Impl>(simulation, page, port)) {}

LiveServer::~LiveServer() = default;

std::string LiveServer::url() const {
  return impl_->url();
}

}  // namespace abut

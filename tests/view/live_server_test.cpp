// The live viewer's server against clients that behave and clients that do not.

#include "abut/view/live/live_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <thread>

#include "abut/io/recording_format.hpp"
#include "support/raw_client.hpp"
#include "support/scenes.hpp"
#include "view/live_testing.hpp"

namespace abut {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr LivePage page{"<html>page</html>", "the script", "the style"};

/// A server with a small world.
struct Served {
  explicit Served(bool playing = false, int bodies = 3)
      : simulation(file_of(clutter(bodies)), {.playing = playing}),
        server(simulation, page, 0),
        url(server.url()),
        port(port_of(url)),
        token(url.substr(url.size() - 33, 32)),
        root(path(token, "")) {}

  static std::string path(const std::string& token, const char* name) {
    return std::string("/").append(token).append("/").append(name);
  }

  int status(const std::string& request) const { return http_status(http_answer(port, request)); }
  RawSocket open(const std::string& fields = "") const { return {port, root + "socket", fields}; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port); }

  LiveSimulation simulation;
  LiveServer server;
  std::string url;
  int port;
  std::string token, root;
};

/// The next text message of a type.
json next(RawSocket& socket, const std::string& type) {
  for (;;) {
    const auto text = socket.receive(RawSocket::text);
    if (!text) throw std::runtime_error("the socket closed before a message " + type);
    json message = json::parse(*text);
    if (message["type"] == type) return message;
  }
}

/// State messages until one is as it must be.
json wait_for_state(RawSocket& socket, const std::function<bool(const json&)>& is) {
  for (;;) {
    json state = next(socket, "state");
    if (is(state)) return state;
  }
}

FrameHeader next_frame(RawSocket& socket) {
  const auto bytes = socket.receive(RawSocket::binary);
  if (!bytes) throw std::runtime_error("the socket closed before a frame");
  return read_frame(*bytes);
}

// --- requests ---------------------------------------------------------------------------------

TEST(LiveServer, HandsOutThePageAndNothingElse) {
  const Served s;
  const std::string answer = http_answer(s.port, http_get(s.port, s.root));
  EXPECT_EQ(http_status(answer), 200);
  EXPECT_NE(answer.find("\r\n\r\n<html>page</html>"), std::string::npos);
  for (const char* field :
       {"Content-Security-Policy: default-src 'self'", "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store", "Referrer-Policy: no-referrer", "Content-Type: text/html"}) {
    EXPECT_NE(answer.find(field), std::string::npos) << field;
  }
  EXPECT_NE(http_answer(s.port, http_get(s.port, s.root + "page.js")).find("the script"),
            std::string::npos);
  EXPECT_NE(http_answer(s.port, http_get(s.port, s.root + "page.css")).find("the style"),
            std::string::npos);
  EXPECT_EQ(s.status(http_get(s.port, s.root + "recording")), 404) << "there is none";
  EXPECT_EQ(s.status(http_get(s.port, s.root + "socket")), 426);
}

TEST(LiveServer, ReadsNoFile) {
  const Served s;
  for (const char* name :
       {"../../../../etc/passwd", "../page.js", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc/passwd",
        "page.js%00", "page.js?x", "./page.js", "/page.js", "..\\..\\etc\\passwd", "%5c..%5cetc",
        "//etc/passwd", "etc/passwd", "recording/../page.js", "page.js/", "PAGE.JS", "index.html",
        "file:///etc/passwd"}) {
    const std::string answer = http_answer(s.port, http_get(s.port, s.root + name));
    EXPECT_EQ(http_status(answer), 404) << name;
    EXPECT_EQ(answer.find("root:"), std::string::npos) << name;
  }
  for (const char* target : {"/../../etc/passwd", "/etc/passwd", "/%2e%2e/etc/passwd", "/..",
                             "/page.js", "/socket", "//", "/\\..\\etc"}) {
    EXPECT_EQ(s.status(http_get(s.port, target)), 403) << target << ", without the token";
  }
  for (const std::string& target :
       {std::string("http://127.0.0.1").append(s.root), std::string("file:///etc/passwd"),
        std::string("*"), std::string("etc/passwd"), s.root.substr(1)}) {
    EXPECT_EQ(s.status(http_get(s.port, target)), 400) << target;
  }
  EXPECT_EQ(s.status(http_get(s.port, s.root + std::string("a\0b", 3))), 400) << "a zero byte";
  EXPECT_EQ(s.status(http_get(s.port, s.root + "a\x01")), 400);
}

TEST(LiveServer, WantsTheWholeToken) {
  const Served s;
  EXPECT_EQ(s.token.size(), 32u);
  EXPECT_EQ(s.token.find_first_not_of("0123456789abcdef"), std::string::npos);
  for (const std::string& token : {std::string(), s.token.substr(1), s.token.substr(0, 31),
                                   s.token + "0", std::string(32, '0'), s.token + "%00"}) {
    for (const char* name : {"", "page.js", "socket"}) {
      EXPECT_EQ(s.status(http_get(s.port, Served::path(token, name))), 403) << token;
    }
  }
  EXPECT_EQ(s.status(http_get(s.port, s.root.substr(0, 33))), 404) << "without its last slash";
  EXPECT_NE(Served().token, s.token);
}

TEST(LiveServer, AnswersOnlyToItsOwnName) {
  const Served s;
  const std::string port = std::to_string(s.port);
  const auto status = [&](const std::string& fields) {
    return s.status("GET " + s.root + " HTTP/1.1\r\n" + fields + "\r\n");
  };
  EXPECT_EQ(status("Host: 127.0.0.1:" + port + "\r\n"), 200);
  EXPECT_EQ(status("Host: localhost:" + port + "\r\n"), 200);
  for (const std::string& host :
       {"127.evil.com:" + port, "127.0.0.1.evil.com:" + port, "localhost.evil.com:" + port,
        "evil.com:" + port, std::string("evil.com"), std::string("127.0.0.1"),
        std::string("127.0.0.1:1"), "127.0.0.1:" + port + "0", "127.0.0.2:" + port,
        "0.0.0.0:" + port, "[::1]:" + port, "127.0.0.1:" + port + "@evil.com", std::string("")}) {
    EXPECT_EQ(status("Host: " + host + "\r\n"), 403) << host;
  }
  EXPECT_EQ(status(""), 400) << "no Host";
  const std::string own = "Host: " + s.host() + "\r\n";
  EXPECT_EQ(status(own + "Host: evil.com\r\n"), 400);
  EXPECT_EQ(status("Host: evil.com\r\n" + own), 400);
}

TEST(LiveServer, AnswersNoOtherPage) {
  const Served s;
  const std::string port = std::to_string(s.port);
  const auto with_origin = [](const std::string& origin) { return "Origin: " + origin + "\r\n"; };
  for (const std::string& origin : {"http://127.0.0.1:" + port, "http://localhost:" + port}) {
    EXPECT_EQ(s.status(http_get(s.port, s.root, with_origin(origin))), 200) << origin;
    EXPECT_EQ(s.open(with_origin(origin)).status(), 101) << origin;
  }
  for (const std::string& origin :
       {std::string("http://evil.com"), "http://evil.com:" + port, "https://127.0.0.1:" + port,
        std::string("http://127.0.0.1"), "http://127.0.0.1:" + port + "0",
        "http://127.evil.com:" + port, "http://127.0.0.1.evil.com:" + port,
        "http://localhost.evil.com:" + port, std::string("null"), std::string("file://"),
        std::string("")}) {
    EXPECT_EQ(s.status(http_get(s.port, s.root, with_origin(origin))), 403) << origin;
    EXPECT_EQ(s.open(with_origin(origin)).status(), 403) << origin;
  }
  const std::string own = with_origin("http://127.0.0.1:" + port);
  EXPECT_EQ(s.open(own + with_origin("http://evil.com")).status(), 400) << "two of them";
}

TEST(LiveServer, RefusesOtherMethodsAndWhatIsNoHttp) {
  const Served s;
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "BREW"}) {
    const std::string head = method + " " + s.root + " HTTP/1.1\r\nHost: " + s.host() + "\r\n";
    const std::string answer = http_answer(s.port, head + "Content-Length: 3\r\n\r\nabc");
    EXPECT_EQ(http_status(answer), 405) << method;
    EXPECT_NE(answer.find("Allow: GET"), std::string::npos) << method;
  }
  for (const std::string request :
       {"nonsense\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\n : x\r\n\r\n"}) {
    EXPECT_EQ(s.status(request), 400) << request;
  }
  EXPECT_EQ(s.status("GET / HTTP/1.0\r\n\r\n"), 400) << "no Host";
}

TEST(LiveServer, RefusesLongHeaders) {
  const Served s;
  const auto padded = [&](std::size_t size) {
    return http_get(s.port, s.root, std::string("X: ").append(size, 'x').append("\r\n"));
  };
  EXPECT_EQ(s.status(padded(15000)), 200);
  EXPECT_EQ(s.status(padded(20000)), 431);
  EXPECT_EQ(s.status(padded(10'000'000)), 431);
  EXPECT_EQ(s.status(http_get(s.port, std::string("/").append(100'000, 'a'))), 431);
  std::string fields;
  for (int i = 0; i < 5000; ++i) fields.append("X").append(std::to_string(i)).append(": 1\r\n");
  EXPECT_EQ(s.status(http_get(s.port, s.root, fields)), 431);
}

TEST(LiveServer, EndsRequestsThatTakeTooLong) {
  const Served s;
  RawClient silent(s.port), slow(s.port);
  std::thread drip([&] {  // a byte now and then buys no time
    for (int i = 0; i < 600 && slow.send("G"); ++i) std::this_thread::sleep_for(100ms);
  });
  EXPECT_EQ(silent.read_all(), "") << "it waits a minute at most";
  EXPECT_EQ(http_status(slow.read_all()), 0);
  drip.join();
  EXPECT_EQ(s.status(http_get(s.port, s.root)), 200);
}

TEST(LiveServer, TakesSixtyFourClientsAndOutlivesMore) {
  const Served s;
  std::vector<RawSocket> pages;
  for (int i = 0; i < 64; ++i) {
    pages.push_back(s.open());
    ASSERT_EQ(pages.back().status(), 101) << i;
  }
  EXPECT_EQ(s.open().status(), 0) << "one too many";
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(http_answer(s.port, http_get(s.port, s.root)), "");
  next(pages.back(), "scene");
  pages.pop_back();
  int status = 0;  // its place is free as soon as the server has noticed
  while (status != 101) status = s.open().status();
}

TEST(LiveServer, LetsThoseWithTheTokenInBeforeThoseWithout) {
  const Served s;
  std::vector<std::unique_ptr<RawClient>> strangers;
  for (int i = 0; i < 100; ++i) {
    strangers.push_back(std::make_unique<RawClient>(s.port));
    if (i % 2 == 0) strangers.back()->send("GET / HT");
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(s.status(http_get(s.port, s.root)), 200);
  RawSocket watcher = s.open();
  EXPECT_EQ(watcher.status(), 101);
  next(watcher, "scene");
}

TEST(LiveServer, ListensOnTheLoopbackAddressAlone) {
  const Served s;
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<std::uint16_t>(s.port));
  inet_pton(AF_INET, "127.0.0.2", &any.sin_addr);  // here too if it listened everywhere
  EXPECT_NE(::connect(fd, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  ::close(fd);
}

TEST(LiveServer, SaysThatAPortIsInUseOrTakesAnother) {
  const Served s;
  LiveSimulation other(file_of(clutter(1)), {.playing = false});
  try {
    const LiveServer server(other, page, s.port);
    FAIL() << "two servers at one port";
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              "cannot listen on 127.0.0.1:" + std::to_string(s.port) + ": Address already in use");
  }
  const LiveServer first(other, page);
  const LiveServer second(other, page);
  EXPECT_NE(first.url(), second.url());
}

// --- the socket -------------------------------------------------------------------------------

TEST(LiveServer, TellsAPageAllThatItShows) {
  const Served s;
  RawSocket socket = s.open();
  const json scene = next(socket, "scene")["scene"];
  EXPECT_EQ(scene["moving"].size(), 3u);
  const json state = next(socket, "state");
  EXPECT_EQ(state["playing"], false);
  EXPECT_EQ(state["settings"]["model"], "sap");
  EXPECT_EQ(state["settings"]["time_step"], nullptr);
  EXPECT_EQ(state["choices"]["model"],
            (json{"sap", "lagged", "similar", "anchored", "ncp", "ccp", "lcp", "raisim"}));
  EXPECT_EQ(state["implied"][0]["unit"], "µm");
  EXPECT_TRUE(state["warnings"].empty());
  EXPECT_EQ(state["recorded"], 0);
  const FrameHeader frame = next_frame(socket);
  EXPECT_EQ(frame.bodies, 3u);
  EXPECT_EQ(frame.step, 0);
  EXPECT_EQ(frame.drag_body, -1);
}

TEST(LiveServer, TellsThePageOfTheScenesCameras) {
  SceneFile file = file_of(clutter(1));
  file.cameras.push_back({.name = "<b>",
                          .position = {1, 2, 3},
                          .target = {0, 0, 1},
                          .field_of_view = std::numbers::pi / 4});
  LiveSimulation simulation(std::move(file), {.playing = false});
  const LiveServer server(simulation, page, 0);
  const std::string url = server.url(), path = url.substr(url.find('/', 7));
  RawSocket socket(port_of(url), path + "socket");
  const json camera = next(socket, "scene")["scene"]["cameras"][0];
  EXPECT_EQ(camera["name"], "<b>");
  EXPECT_EQ(camera["position"], (json{1, 2, 3}));
  EXPECT_EQ(camera["field_of_view"], 45);
}

TEST(LiveServer, StepsPlaysAndResetsAsItIsTold) {
  const Served s;
  RawSocket socket = s.open();
  EXPECT_EQ(next_frame(socket).step, 0);
  socket.send(R"({"type":"step"})");
  while (next_frame(socket).step != 1) {
  }
  socket.send(R"({"type":"play"})");
  while (next_frame(socket).step < 20) {
  }
  socket.send(R"({"type":"pause"})");
  wait_for_state(socket, [](const json& x) { return !x["playing"]; });
  socket.send(R"({"type":"reset"})");
  while (next_frame(socket).step != 0) {
  }
}

TEST(LiveServer, TellsEveryPageOfAFailureWhichIsNoRefusal) {
  const Served s(true, 4);
  RawSocket socket = s.open(), other = s.open();
  socket.send(R"({"type":"set","name":"gravity","value":[0,0,-1e307]})");
  for (RawSocket* watching : {&socket, &other}) {
    const json error = next(*watching, "error");
    EXPECT_NE(error["text"].get<std::string>().find("failed numerically"), std::string::npos);
    EXPECT_EQ(error["refused"], false);
  }
}

TEST(LiveServer, ChangesSettingsAndSaysWhatItRefuses) {
  const Served s;
  RawSocket socket = s.open(), other = s.open();
  socket.send(R"({"type":"set","name":"model","value":"lagged"})");
  wait_for_state(socket, [](const json& x) { return x["settings"]["model"] == "lagged"; });
  wait_for_state(other, [](const json& x) { return x["settings"]["model"] == "lagged"; });
  socket.send(R"({"type":"set","name":"time_step","value":-1})");
  const json error = next(socket, "error");
  EXPECT_EQ(error["text"], "time step = -1 s, must lie in [1e-9, 1]");
  EXPECT_EQ(error["refused"], true);
  socket.send(R"({"type":"set","name":"stiffness","value":2e5})");
  const json state =
      wait_for_state(socket, [](const json& x) { return x["settings"]["stiffness"] == 2e5; });
  EXPECT_EQ(state["settings"]["time_step"], nullptr) << "unchanged";
}

TEST(LiveServer, AnswersNonsenseWithAnError) {
  const Served s;
  RawSocket socket = s.open();
  for (const std::string message :
       {"",
        "nonsense",
        "{",
        "[]",
        "1",
        "{}",
        R"({"type":"paly"})",
        R"({"type":1})",
        R"({"type":"speed"})",
        R"({"type":"speed","value":NaN})",
        R"({"type":"speed","value":1e999})",
        R"({"type":"speed","value":-1})",
        R"({"type":"speed","value":0})",
        R"({"type":"speed","value":"1"})",
        R"({"type":"play","value":1})",
        R"({"type":"drag","body":0,"point":[0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":0,"point":[NaN,0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":1e30,"point":[0,0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":99,"point":[0,0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":-1,"point":[0,0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":0.5,"point":[0,0,0],"target":[0,0,0]})",
        R"({"type":"set","name":"gravity","value":[0,0]})",
        R"({"type":"set","name":"__proto__","value":1})",
        R"({"type":"set","name":"friction","value":-1})",
        R"({"type":"record","value":1})"}) {
    socket.send(message);
    EXPECT_NE(next(socket, "error")["text"], "") << message;
  }
  const std::string nested(4000, '[');
  socket.send(nested);
  next(socket, "error");
  socket.send(R"({"type":"step"})");
  while (next_frame(socket).step != 1) {
  }
}

TEST(LiveServer, DragsABodyAndLetsItGoWhenThePageDoes) {
  const Served s;
  RawSocket watcher = s.open();
  {
    RawSocket socket = s.open();
    socket.send(R"({"type":"drag","body":1,"point":[0,0,0.01],"target":[0,0,9]})");
    FrameHeader frame = next_frame(watcher);
    while (frame.drag_body != 1) frame = next_frame(watcher);
    EXPECT_GT(frame.drag_force[2], 0);
    EXPECT_EQ(frame.drag_target[2], 9);
    socket.send(R"({"type":"release"})");
    while (next_frame(watcher).drag_body != -1) {
    }
    socket.send(R"({"type":"drag","body":2,"point":[0,0,0],"target":[0,0,9]})");
    while (next_frame(watcher).drag_body != 2) {
    }
  }  // its connection ends
  while (next_frame(watcher).drag_body != -1) {
  }
}

TEST(LiveServer, HandsOutARecordingThatHasEnded) {
  const Served s(true);
  RawSocket socket = s.open();
  socket.send(R"({"type":"record","value":true})");
  wait_for_state(socket, [](const json& x) { return x["recording"] == true; });
  EXPECT_EQ(s.status(http_get(s.port, s.root + "recording")), 404) << "it goes on";
  while (next_frame(socket).step < 30) {
  }
  socket.send(R"({"type":"record","value":false})");
  const json state = wait_for_state(socket, [](const json& x) { return x["recorded"] > 0; });
  const std::string answer = http_answer(s.port, http_get(s.port, s.root + "recording"));
  const std::string body = answer.substr(answer.find("\r\n\r\n") + 4);
  EXPECT_EQ(body.size(), state["recorded"]);
  EXPECT_EQ(body.substr(0, 8), recording_magic);
  EXPECT_NE(answer.find("attachment"), std::string::npos);
}

TEST(LiveServer, ClosesWhatBreaksTheProtocol) {
  const Served s;
  const auto code_after = [&](const std::function<void(RawSocket&)>& offend) {
    RawSocket socket = s.open();
    EXPECT_EQ(socket.status(), 101);
    offend(socket);
    return socket.close_code();
  };
  EXPECT_EQ(
      code_after([](RawSocket& r) { r.send(R"({"type":"play"})", RawSocket::text, true, false); }),
      1002)
      << "not masked";
  EXPECT_EQ(code_after([](RawSocket& r) { r.send("x", RawSocket::continuation); }), 1002);
  EXPECT_EQ(code_after([](RawSocket& r) { r.send("x", RawSocket::Opcode(3)); }), 1002);
  EXPECT_EQ(code_after([](RawSocket& r) { r.send(std::string(126, 'x'), RawSocket::ping); }), 1002);
  EXPECT_EQ(code_after([](RawSocket& r) { r.send("\xff\xfe"); }), 1007);
  EXPECT_EQ(code_after([](RawSocket& r) {
              r.send("\xe2\x82", RawSocket::text, false);  // cut within a letter
              r.send("x", RawSocket::continuation, true);
            }),
            1007);
  EXPECT_EQ(code_after([](RawSocket& r) { r.send(std::string(4097, ' ')); }), 1009);
  EXPECT_EQ(code_after([](RawSocket& r) { r.send(std::string(10'000'000, ' ')); }), 1009);
  EXPECT_EQ(code_after([](RawSocket& r) {
              r.send(std::string(3000, ' '), RawSocket::text, false);
              r.send(std::string(3000, ' '), RawSocket::continuation, true);
            }),
            1009)
      << "in two parts";
  EXPECT_EQ(code_after([](RawSocket& r) { r.send("{}", RawSocket::binary); }), 1003);
  RawSocket socket = s.open();  // and a message in parts is one message
  socket.send(R"({"type":)", RawSocket::text, false);
  socket.send(R"("step"})", RawSocket::continuation, true);
  while (next_frame(socket).step != 1) {
  }
}

TEST(LiveServer, ClosesFloodsAndServesTheOthers) {
  const Served s(true);
  RawSocket other = s.open();
  for (const RawSocket::Opcode kind : {RawSocket::text, RawSocket::ping}) {
    RawSocket flood = s.open();
    std::thread sender([&] {
      for (int i = 0; i < 1'000'000; ++i) {
        if (!flood.send(R"({"type":"pause"})", kind)) break;
      }
    });
    EXPECT_EQ(flood.close_code(), 1008);
    flood.shut_down();  // so that the sender ends
    sender.join();
  }
  other.send(R"({"type":"play"})");
  const double step = next_frame(other).step;
  while (next_frame(other).step < step + 10) {
  }
}

TEST(LiveServer, ClosesMessagesWithoutEnd) {
  const Served s;
  RawSocket flood = s.open();
  std::thread sender([&] {
    bool sent = flood.send("", RawSocket::text, false);
    for (int i = 0; i < 10'000'000 && sent; ++i) {
      sent = flood.send("", RawSocket::continuation, false);
    }
  });
  EXPECT_EQ(flood.close_code(), 1008);
  flood.shut_down();
  sender.join();
  EXPECT_EQ(s.open().status(), 101);
}

TEST(LiveServer, RefusesASocketThatDoesNotWaitForIt) {
  const Served s;
  const std::string upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  EXPECT_EQ(s.status(http_get(s.port, s.root + "socket", upgrade) + "\x81\x80"
                                                                    "abcd"),
            400);
  EXPECT_EQ(s.status(http_get(s.port, s.root + "socket", "Upgrade: websocket\r\n")), 426);
}

TEST(LiveServer, SendsASlowPageTheNewestOnly) {
  const Served s(true, 40);
  RawSocket slow = s.open(), quick = s.open();
  while (next_frame(quick).step < 1500) {
  }
  // what lay in the buffers of the system comes first; what comes then is new
  double step = 0;
  int frames = 0;
  while (step < 1500) step = next_frame(slow).step, ++frames;
  EXPECT_LT(frames, 1000);
}

}  // namespace
}  // namespace abut

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace abut {

/// Where a live viewer can be reached: nobody comes in who does not know the token.
struct LiveAddress {
  int port = 0;
  std::string token;  ///< 32 hexadecimal digits

  std::string url() const;  ///< "http://127.0.0.1:PORT/TOKEN/"
};

/// 128 bits of the system's random source.
std::string make_token();

/// What the server has; nothing else can be asked for, and none of it is a file that the request
/// names.
enum class LiveRoute : std::uint8_t { none, page, script, style, recording, socket };

/// The parts of a request that decide whether it is answered.
struct LiveRequest {
  std::string_view method;
  std::string_view target;
  int hosts = 0;  ///< how many such fields it has
  std::string_view host;
  int origins = 0;
  std::string_view origin;
};

struct LiveVerdict {
  int status = 200;  ///< of HTTP
  LiveRoute route = LiveRoute::none;
  const char* text = "";  ///< for a person, if it is refused
};

/// Host must be "127.0.0.1:PORT" or "localhost:PORT", so that a name that somebody else's server
/// resolves to this machine is refused; Origin, which other pages cannot help to send, must be
/// absent or ours; the target must be one of ours, letter by letter.
LiveVerdict judge(const LiveRequest& request, const LiveAddress& address);

}  // namespace abut

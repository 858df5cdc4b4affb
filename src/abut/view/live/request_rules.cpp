#include "abut/view/live/request_rules.hpp"

#include <sys/random.h>

#include <array>

#include "abut/io/file_descriptor.hpp"

namespace abut {
namespace {

/// Takes the same time wherever they differ.
bool equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

/// "127.0.0.1:8420", also without the port where it is the one that nobody writes.
bool is_own_host(std::string_view host, int port) {
  for (const std::string name : {"127.0.0.1", "localhost"}) {
    if (host == name + ":" + std::to_string(port) || (port == 80 && host == name)) return true;
  }
  return false;
}

bool is_own_origin(std::string_view origin, int port) {
  constexpr std::string_view scheme = "http://";
  return origin.substr(0, scheme.size()) == scheme &&
         is_own_host(origin.substr(scheme.size()), port);
}

LiveRoute find_route(std::string_view name) {
  if (name.empty()) return LiveRoute::page;
  if (name == "page.js") return LiveRoute::script;
  if (name == "page.css") return LiveRoute::style;
  if (name == "recording") return LiveRoute::recording;
  if (name == "socket") return LiveRoute::socket;
  return LiveRoute::none;
}

}  // namespace

std::string LiveAddress::url() const {
  return "http://127.0.0.1:" + std::to_string(port) + "/" + token + "/";
}

std::string make_token() {
  std::array<unsigned char, 16> bits;
  if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
    throw FileError("the system gives no random numbers: " + system_reason());
  }
  std::string token;
  for (const unsigned char b : bits) {
    token += "0123456789abcdef"[b >> 4];
    token += "0123456789abcdef"[b & 15];
  }
  return token;
}

LiveVerdict judge(const LiveRequest& r, const LiveAddress& address) {
  if (r.hosts != 1 || r.origins > 1) return {400, {}, "a request has one Host"};
  if (!is_own_host(r.host, address.port)) return {403, {}, "this is not the host asked for"};
  if (r.origins == 1 && !is_own_origin(r.origin, address.port)) {
    return {403, {}, "another page's requests are not answered"};
  }
  if (r.method != "GET") return {405, {}, "only GET is answered"};
  if (r.target.empty() || r.target.front() != '/') return {400, {}, "the target is not a path"};
  const std::size_t end = r.target.find('/', 1);
  const std::string_view token = r.target.substr(1, end == std::string_view::npos ? end : end - 1);
  if (!equal(token, address.token)) {
    return {403, {}, "open the address that abut view has printed, with its token"};
  }
  if (end == std::string_view::npos) return {404, {}, "the page's address ends in /"};
  const LiveRoute route = find_route(r.target.substr(end + 1));
  if (route == LiveRoute::none) return {404, {}, "nothing has this name"};
  return {200, route, ""};
}

}  // namespace abut

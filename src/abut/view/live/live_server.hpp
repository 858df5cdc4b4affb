#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "abut/view/live/live_simulation.hpp"

namespace abut {

/// What the server hands out besides the simulation (view/page.hpp); must outlive it.
struct LivePage {
  std::string_view html, script, style;
};

/// Serves a live simulation to browsers of this machine, by HTTP and WebSocket on the loopback
/// address, in a thread of its own (docs/formats/page.md, docs/view.md).
class LiveServer {
 public:
  /// `port`: 0 for any free one; if absent 8420, or the first free one behind it. Serves until it
  /// is destroyed; `simulation` must outlive it.
  /// @throws InputError if it cannot listen at the port asked for
  LiveServer(LiveSimulation& simulation, const LivePage& page, std::optional<int> port = {});
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  /// Where the page is, with the token without which nothing is answered.
  std::string url() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace abut

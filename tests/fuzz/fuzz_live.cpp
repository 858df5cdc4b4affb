// What a page may send: each line of the input is a message. It is refused with a message, or a
// live world obeys; whatever it is told, what succeeds is finite. As the target of a request no
// line gets in, for it does not know the token.

#include <algorithm>
#include <string_view>
#include <vector>

#include "abut/view/live/frame.hpp"
#include "abut/view/live/live_world.hpp"
#include "abut/view/live/request_rules.hpp"
#include "fuzz/fuzz_world.hpp"

namespace {

using namespace abut;
using Kind = LiveCommand::Kind;

SceneFile make_scene() {
  SceneFile file;
  Scene& s = file.scene;
  SceneGeom ground;
  ground.shape = Shape::plane();
  s.geoms.push_back(ground);
  for (const double x : {0.0, 0.5}) {
    SceneBody body;
    body.mass = 1;
    body.inertia = 0.004 * Mat3::identity();
    body.position = {x, 0, 0.1};
    SceneGeom geom;
    geom.body = static_cast<int>(s.bodies.size());
    geom.shape = x == 0 ? Shape::sphere(0.1) : Shape::box({0.1, 0.1, 0.1});
    s.bodies.push_back(body);
    s.geoms.push_back(geom);
  }
  return file;
}

void obey(LiveWorld& w, const LiveCommand& c) {
  switch (c.kind) {
    case Kind::play:
    case Kind::pause:
    case Kind::speed: return;
    case Kind::step: return w.step();
    case Kind::reset: w.reset(); return;
    case Kind::set: w.set(c.name, c.value); return;
    case Kind::drag: return w.drag(c.body, c.point, c.target);
    case Kind::release: return w.release();
    case Kind::record: return c.on ? w.start_recording() : w.end_recording();
  }
}

void check(LiveWorld& w, FrameEncoder& encoder) {
  static std::vector<char> frame;
  w.step();
  encoder.encode(w.world(), true, w.drag_view(), frame);
  if (!w.failure().empty() || w.world().report().solve.status != SolveStatus::converged) return;
  for (int b = 0; b < 2; ++b) {
    must(is_finite(w.world().body_state(b).position), "success with a place that is no number");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const LiveAddress address{8420, make_token()};
  LiveWorld world(make_scene(), {});
  FrameEncoder encoder(world.world());
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (int lines = 0; !rest.empty() && lines < 20; ++lines) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    must_refuse_or_pass([&] { obey(world, parse_command(line)); });
    check(world, encoder);
    const LiveVerdict v = judge({"GET", line, 1, "127.0.0.1:8420", 0, ""}, address);
    must(v.status != 200 && v.text[0] != '\0', "somebody came in without the token");
  }
  return 0;
}

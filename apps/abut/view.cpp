#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "abut/view/live/live_server.hpp"
#include "abut/view/page.hpp"
#include "commands.hpp"
#include "describe.hpp"
#include "notes.hpp"
#include "run_options.hpp"
#include "scene_arguments.hpp"
#include "signals.hpp"

namespace abut::cli {
namespace {

struct ViewArguments {
  SceneArguments scene;
  SimulationArguments simulation;
  std::string keyframe;
  std::optional<int> port;
  double speed = 1;
  bool paused = false, no_browser = false;
};

/// Tries to show the page where there is a screen; whoever has none opens the address elsewhere.
void open_browser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == STDIN_FILENO ? 0 : 1, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t ignored;  // by abut
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string program = "xdg-open", address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, "xdg-open", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
}

int run(const ViewArguments& a) {
  require_page();
  require(a.speed > 0 && a.speed <= fastest_live, "--speed", a.speed, "s/s",
          "must be positive and at most 1000");
  SceneFile file = a.scene.load();
  const WorldOptions options = a.simulation.world_options(file.simulation);
  print_notes(file, a.simulation, options);
  const int keyframe = a.keyframe.empty() ? -1 : find_keyframe(file.scene, a.keyframe);
  const std::string trees = describe_trees(file.scene);
  watch_signals();
  LiveSimulation simulation(
      std::move(file),
      {.world = options, .keyframe = keyframe, .speed = a.speed, .playing = !a.paused});
  {
    const LiveServer server(simulation, {page_html(), page_script(), page_style()}, a.port);
    std::printf("%s\nopen    %s\nCtrl-C ends it; whoever has this address can steer it\n",
                trees.c_str(), server.url().c_str());
    std::fflush(stdout);
    if (!a.no_browser) open_browser(server.url());
    while (stop_signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  simulation.stop();
  const StepTimes& times = simulation.step_times();
  std::printf("%llu steps, %.4g us each (median), %.4g us on average\n",
              static_cast<unsigned long long>(times.steps()), 1e6 * times.median(),
              1e6 * times.mean());
  return 128 + stop_signal();
}

}  // namespace

void add_view(CLI::App& app, int& code) {
  auto a = std::make_shared<ViewArguments>();
  CLI::App* c = app.add_subcommand("view", "simulate a scene in real time, shown in a browser");
  a->scene.add_to(*c);
  a->simulation.add_to(*c);
  c->add_option("--keyframe", a->keyframe, "start from this keyframe of the scene")
      ->type_name("NAME");
  c->add_option_function<std::string>(
       "--port",
       [a](const std::string& text) {
         const std::uint64_t port = parse_whole_number("--port", text);
         require(port <= 65535, "--port", static_cast<double>(port), "", "must be at most 65535");
         a->port = static_cast<int>(port);
       },
       "port on 127.0.0.1; 0 for any (default: 8420, or a free one behind it)")
      ->type_name("N");
  add_number(*c, "--speed", a->speed, "X", "simulated seconds per second (default 1)");
  c->add_flag("--paused", a->paused, "start paused");
  c->add_flag("--no-browser", a->no_browser, "only print the page's address");
  c->callback([a, &code] { code = run(*a); });
}

}  // namespace abut::cli

#include "signals.hpp"

#include <unistd.h>
#include <csignal>

namespace abut::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

void on_signal(int signal) {
  if (caught != 0 && signal == SIGINT) _exit(128 + signal);
  caught = signal;
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};  // nohup ignores it
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

int stop_signal() {
  return caught;
}

const char* signal_name(int signal) {
  return signal == SIGTERM ? "SIGTERM" : signal == SIGHUP ? "SIGHUP" : "SIGINT";
}

}  // namespace abut::cli

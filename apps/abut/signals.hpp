#pragma once

namespace abut::cli {

/// Takes SIGINT and SIGTERM from now on: the first asks for a stop, a second SIGINT ends the
/// process at once.
void watch_signals();

/// SIGINT or SIGTERM if one has come, else 0.
int stop_signal();

const char* signal_name(int signal);

}  // namespace abut::cli

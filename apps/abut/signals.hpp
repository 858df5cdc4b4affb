#pragma once

namespace abut::cli {

/// Takes SIGINT, SIGTERM and SIGHUP from now on: the first asks for a stop, a second SIGINT ends
/// the process at once. A SIGHUP that is ignored already stays so.
void watch_signals();

/// The signal, if one has come, else 0.
int stop_signal();

const char* signal_name(int signal);

}  // namespace abut::cli

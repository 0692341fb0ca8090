#pragma once
// Ctrl-C and SIGTERM: the first asks the run to end after the current step, the second ends the process at
// once.

namespace dpx {

/// Installs the handlers of SIGINT and SIGTERM and ignores SIGPIPE. Call once, before threads start.
void install_signal_handlers();

/// 0, or the signal that asked the run to end. Loops ask once per step and leave in an orderly way.
int interrupt_signal();

/// Errors: Exit::interrupted (SIGINT) or Exit::terminated (SIGTERM) once the run was asked to end.
void throw_if_interrupted();

}  // namespace dpx

import FencepostAppCommands
import Foundation
import Synchronization

/// At file scope, because a C function pointer cannot capture.
private let interruptFlag = Atomic<Bool>(false)

/// Handles Ctrl-C: the first one asks the command to finish with its results so far, the second ends the process at
/// once.
enum Interrupt {
    /// Whether the command was interrupted.
    static var isRequested: Bool { interruptFlag.load(ordering: .relaxed) }

    /// Installs the handlers: SIGINT and SIGTERM set the flag, and a closed pipe is an error of `write` instead of a
    /// signal.
    static func install() {
        signal(SIGPIPE, SIG_IGN)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            if interruptFlag.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
        }
        // Without SA_RESTART a blocked read or poll returns at once.
        action.sa_flags = 0
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
        // The parent process may have blocked the signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}

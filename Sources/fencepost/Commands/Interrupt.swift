import Foundation
import Synchronization

/// At file scope, for a C function captures nothing.
private let interruptFlag = Atomic<Bool>(false)

/// Ctrl-C: the first one asks the running command to end with what it has done, the second ends at once.
enum Interrupt {
    /// Whether somebody asked to stop.
    static var isRequested: Bool { interruptFlag.load(ordering: .relaxed) }

    /// From here on SIGINT and SIGTERM set the flag, and a closed pipe is an error of `write`, not a death.
    static func install() {
        signal(SIGPIPE, SIG_IGN)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            if interruptFlag.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
        }
        // Without SA_RESTART a blocked read or poll comes back at once.
        action.sa_flags = 0
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
        // Whoever started the program may have had them blocked.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}

package import ArgumentParser
import Foundation

/// Exit codes, those above 63 as in `sysexits.h`.
package enum ExitStatus: Int32 {
    case success = 0
    /// A check found problems, or an expectation failed.
    case problems = 1
    /// A recorded scenario and the rules disagree.
    case disagreement = 2
    case usage = 64
    /// Invalid input data.
    case badData = 65
    case noInput = 66
    case unavailable = 69
    /// An error of the program.
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    /// This user may not read the input.
    case noPermission = 77
    case configuration = 78
    case interrupted = 130

    /// Ends the process without any cleaning up.
    package func endProcess() -> Never { _exit(rawValue) }

    /// The error to throw from a command. It prints nothing.
    package var exit: ExitCode { ExitCode(rawValue) }
}

import ArgumentParser

/// The exit codes, after `sysexits.h`.
enum ExitStatus: Int32 {
    case success = 0
    /// The check found problems.
    case problems = 1
    case usage = 64
    /// Bad input data.
    case badData = 65
    case noInput = 66
    case unavailable = 69
    /// A mistake of the program.
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case noPermission = 77
    case configuration = 78
    case interrupted = 130

    /// To be thrown from a command; prints nothing.
    var exit: ExitCode { ExitCode(rawValue) }
}

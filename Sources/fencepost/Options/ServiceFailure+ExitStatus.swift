import ArgumentParser
import FencepostAppCommands
import FencepostNode
import FencepostService
import FencepostStore
import Logging

extension ExitStatus {
    /// The exit code of a service that does not start or has ended.
    init(_ cause: ServiceFailure.Cause) {
        self =
            switch cause {
            case .configuration: .configuration
            case .badData: .badData
            case .cannotCreate: .cannotCreate
            case .inputOutput: .inputOutput
            case .tryAgain: .tryAgain
            case .unavailable: .unavailable
            case .software: .software
            }
    }

}

extension ServiceFailure {
    /// Prints the sentence on standard error.
    ///
    /// - Returns: the exit code, to be thrown.
    func say() -> ExitCode {
        Console.say("fencepost: \(self)")
        return ExitStatus(cause).exit
    }
}

extension ServiceAssembly {
    /// The objects of a service, for a command that works on a database while no service uses it. Its log is quiet.
    ///
    /// - Parameter configuration: names the database.
    /// - Returns: the objects.
    /// - Throws: an exit code, after printing why the database cannot be used.
    static func forCommand(_ configuration: Configuration) throws -> ServiceAssembly {
        _ = Logs.bootstrap(LogSettings.quiet, isTerminal: Console.isErrorTerminal)
        do {
            return try ServiceAssembly(configuration, logger: Logger(label: "fencepost"))
        } catch let failure as ServiceFailure {
            throw failure.say()
        }
    }
}

extension StoreError {
    /// The exit code of a command that cannot use its database.
    var exitStatus: ExitStatus { ExitStatus(ServiceFailure(self).cause) }
}

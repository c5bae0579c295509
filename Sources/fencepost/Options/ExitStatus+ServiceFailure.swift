import FencepostAppCommands
import FencepostNode
import FencepostStore

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

    /// Runs a closure. Prints the failure of a service on standard error and ends the command with its exit code.
    static func ofService<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let failure as ServiceFailure {
            Console.say("fencepost: \(failure)")
            throw ExitStatus(failure.cause).exit
        }
    }
}

extension StoreError {
    /// The exit code of a command that cannot use its database.
    var exitStatus: ExitStatus { ExitStatus(ServiceFailure(self).cause) }
}

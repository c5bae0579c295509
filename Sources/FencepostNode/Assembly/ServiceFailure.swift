package import FencepostStore

/// Why a service does not start or has ended: a sentence for its operator.
package struct ServiceFailure: Error, Hashable, CustomStringConvertible {
    /// What is to be mended, or waited for.
    package enum Cause: Hashable, Sendable {
        /// The settings, or the cluster that they name.
        case configuration
        /// The database is not one, or is damaged.
        case badData
        /// The database cannot be made where the settings have it.
        case cannotCreate
        /// The disk.
        case inputOutput
        /// Something has what the service needs, and gives it back.
        case tryAgain
        /// The port, which another process listens on.
        case unavailable
        /// The program.
        case software
    }

    /// The kind of reason.
    package let cause: Cause
    /// A whole sentence, or what the system said.
    package let description: String

    /// A failure with its sentence.
    package init(_ cause: Cause, _ description: String) { (self.cause, self.description) = (cause, description) }

    /// A database that cannot be used.
    package init(_ error: StoreError) {
        let cause: Cause =
            switch error.code {
            case .locked, .busy, .notLeading: .tryAgain
            case .newerSchema: .configuration
            case .cannotOpen: .cannotCreate
            case .corrupt: .badData
            case .full, .inputOutput, .moved: .inputOutput
            case .outOfOrder, .closed, .invalid: .software
            }
        self.init(cause, "\(error)")
    }
}

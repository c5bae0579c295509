import ArgumentParser
import Foundation

/// Options of the commands that a running service can do instead.
struct ServiceArguments: ParsableArguments {
    @Option(
        name: .long,
        help: "URL of a running service to use instead of the database. On its own machine a command finds it alone.")
    var server: String?

    @Option(name: .long, help: "The token for --server; without it FENCEPOST_TOKEN.")
    var token: String?

    func validate() throws {
        guard server != nil || token == nil else { throw ValidationError("--token needs --server.") }
        if let server {
            guard let url = URL(string: server), ["http", "https"].contains(url.scheme), url.host != nil else {
                throw ValidationError("--server has to be a URL such as http://127.0.0.1:8080.")
            }
        }
    }

    /// The service that `--server` names; `nil` without the option.
    func connection() throws -> ServiceConnection? {
        guard let server else { return nil }
        guard let token = token ?? ProcessInfo.processInfo.environment["FENCEPOST_TOKEN"], !token.isEmpty else {
            throw ValidationError("--server needs a token: --token, or FENCEPOST_TOKEN in the environment.")
        }
        return ServiceConnection(url: server, token: token)
    }
}

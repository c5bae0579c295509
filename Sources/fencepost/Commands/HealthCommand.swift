import ArgumentParser
import FencepostAppCommands
import FencepostService
import FencepostTransport
import Foundation

/// Checks whether the running service is ready, for health checks of containers.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks whether the running service is ready.",
        discussion: """
            Example:
              fencepost health

            The exit code is 0 when the service is ready, and 69 when it is not ready or does not respond.
            """)

    @Option(name: .long, help: "The configuration file of the service.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(name: .long, help: "URL of the service, instead of the one in the configuration.")
    var url: String?

    func run() async throws {
        let server = try ConfigurationLayers.read(file: config).configuration.server
        // A service that listens on all addresses is reached on the loopback address.
        let host = ["0.0.0.0", "::"].contains(server.host) ? "127.0.0.1" : server.host
        let address = (url ?? "http://\(host):\(server.port)") + "/readyz"
        guard URL(string: address)?.host() != nil else {
            throw ValidationError("--url has to be a URL such as http://127.0.0.1:8080.")
        }
        var request = HTTPClientRequest("GET", address)
        request.total = .seconds(5)
        do throws(TransportFailure) {
            let response = try await HTTPClient.shared.response(to: request)
            print(String(decoding: response.body, as: UTF8.self))
            guard response.status != 200 else { return }
        } catch {
            Console.say("fencepost: \(address) does not respond: \(error)")
        }
        throw ExitStatus.unavailable.exit
    }
}

import ArgumentParser
import FencepostService
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
        guard let address = URL(string: (url ?? "http://\(host):\(server.port)") + "/readyz") else {
            throw ValidationError("--url has to be a URL such as http://127.0.0.1:8080.")
        }
        var request = URLRequest(url: address)
        request.timeoutInterval = 5
        do {
            let (body, answer) = try await URLSession.shared.data(for: request)
            let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
            print(String(decoding: body, as: UTF8.self))
            if status != 200 { throw ExitStatus.unavailable.exit }
        } catch let error as URLError {
            Console.say("fencepost: \(address) does not respond: \(error.localizedDescription)")
            throw ExitStatus.unavailable.exit
        }
    }
}

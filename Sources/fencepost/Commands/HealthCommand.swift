import ArgumentParser
import FencepostService
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks a running service whether it is ready, as a container's health check does.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Asks the running service whether it is ready.",
        discussion: """
            Example:
              fencepost health

            The exit code is 0 when it is, 69 when it is not or does not answer.
            """)

    @Option(name: .long, help: "The config file of the service.", completion: .file(extensions: ["json"]))
    var config: String?

    @Option(name: .long, help: "The address of the service, where it is not that of the config.")
    var url: String?

    func run() async throws {
        let server = try ConfigurationLayers.read(file: config).configuration.server
        // A service that listens on every address is asked on this machine's own.
        let host = ["0.0.0.0", "::"].contains(server.host) ? "127.0.0.1" : server.host
        guard let address = URL(string: (url ?? "http://\(host):\(server.port)") + "/readyz") else {
            throw ValidationError("--url is an address such as http://127.0.0.1:8080.")
        }
        var request = URLRequest(url: address)
        request.timeoutInterval = 5
        do {
            let (body, answer) = try await URLSession.shared.data(for: request)
            let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
            print(String(decoding: body, as: UTF8.self))
            if status != 200 { throw ExitStatus.unavailable.exit }
        } catch let error as URLError {
            Console.say("fencepost: \(address) does not answer: \(error.localizedDescription)")
            throw ExitStatus.unavailable.exit
        }
    }
}

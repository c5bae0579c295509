import ArgumentParser
import FencepostAppCommands
import FencepostJSON
import FencepostModel
import FencepostOperation
import FencepostWebhooks
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

extension WebhookCommand {
    /// A receiver for testing endpoints.
    struct Listen: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Receives messages on this machine and prints them until it is interrupted.",
            discussion: """
                Example:
                  fencepost webhook listen --port 9000 --secret whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg==

                It responds with 200 to a message with a valid signature, or to all messages without --secret, and with \
                401 to others. The service only sends to this machine if webhooks.allowHTTP and \
                webhooks.allowedNetworks allow it, as with `make serve`.
                """)

        @Option(name: .long, help: "The port; 0 for any free port.")
        var port = 9000

        @Option(
            name: .long, parsing: .singleValue,
            help: "whsec_, whsk_ or whpk_ for verifying signatures; can be repeated: one valid secret is enough.")
        var secret: [String] = []

        @Option(name: .long, help: "Respond with this status to every message, to test the retries of the service.")
        var status: Int?

        @Flag(name: .long, help: "Print the body of each message.")
        var bodies = false

        /// Larger messages are rejected. The service sends smaller ones.
        private static let largestBody = 1 << 20

        func validate() throws {
            guard (0...65_535).contains(port) else { throw ValidationError("--port has to be from 0 to 65535.") }
            guard status.map({ (200...599).contains($0) }) ?? true else {
                throw ValidationError("--status has to be from 200 to 599.")
            }
        }

        func run() async throws {
            var secrets: [WebhookSecret] = []
            for text in secret {
                do throws(WebhookSecret.Failure) { secrets.append(try WebhookSecret(text)) } catch {
                    throw ValidationError("--secret: \(error)")
                }
            }
            let verifier = secrets.isEmpty ? nil : WebhookVerifier(secrets, tolerance: .seconds(300))
            var logger = Logger(label: "fencepost")
            logger.logLevel = .error
            let application = Application(
                responder: CallbackResponder<BasicRequestContext> { request, _ in try await receive(request, verifier)
                },
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
                onServerRunning: { channel in
                    let bound = channel.localAddress?.port ?? port
                    Console.say("Receiving messages at http://127.0.0.1:\(bound)/ until Ctrl-C.")
                },
                logger: logger)
            do {
                try await application.runService()
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                Console.say("fencepost: port \(port) is in use; --port 0 selects a free port")
                throw ExitStatus.unavailable.exit
            }
        }

        private func receive(_ request: Request, _ verifier: WebhookVerifier?) async throws -> Response {
            var request = request
            let buffer = try await request.collectBody(upTo: Self.largestBody)
            let body = Array(buffer.readableBytesView)
            let now = WallClock.now
            func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
            let id = header("webhook-id")
            var verdict = "signature not checked: no --secret"
            var isValid = true
            if let verifier {
                do throws(WebhookVerifier.Failure) {
                    try verifier.verify(
                        id: id ?? "", timestamp: header("webhook-timestamp") ?? "",
                        signature: header("webhook-signature") ?? "", body: body, now: now)
                    verdict = "signature valid"
                } catch {
                    (verdict, isValid) = ("signature not valid: \(error)", false)
                }
            }
            let answer = status ?? (isValid ? 200 : 401)
            var line = "\(now.rfc3339)  \(Self.summary(of: body))  \(id ?? "no webhook-id")  \(verdict)  -> \(answer)\n"
            if bodies { line += String(decoding: body, as: UTF8.self) + "\n" }
            FileHandle.standardOutput.write(Data(line.utf8))
            return Response(status: HTTPResponse.Status(code: answer))
        }

        /// The type of a message, and its device and region if it contains them.
        private static func summary(of body: [UInt8]) -> String {
            guard let root = try? JSONDocument(parsing: body).root else { return "no JSON" }
            let data = root["data"]
            let parts = [root["type"], data?["deviceId"], data?["region"]?["id"], data?["visit"]?["id"]]
            return parts.compactMap { $0?.string }.joined(separator: " ")
        }
    }
}

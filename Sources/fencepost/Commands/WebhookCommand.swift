import ArgumentParser
import FencepostAppCommands
import FencepostJSON
import FencepostModel
import FencepostOperation
import FencepostService
import FencepostWebhooks
import Foundation

/// Tools for writing a webhook receiver.
struct WebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Verifies, sends and receives webhooks, for testing a receiver.",
        discussion: """
            Example:
              printf '{"n":1}' | fencepost webhook verify --tolerance 0 --id evt_1 \\
                --timestamp 1772353800 \\
                --secret whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg== \\
                --signature v1,S2BlYGrzJelzCv5oFckjb8a3E0CJMWISD065NLPq5C4=
            """,
        subcommands: [Verify.self, Send.self, Listen.self])
}

extension WebhookCommand {
    /// Verifies a message as a receiver does.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verifies the signature of a message.",
            discussion: """
                Example:
                  printf '{"n":1}' | fencepost webhook verify --tolerance 0 --id evt_1 \\
                    --timestamp 1772353800 \\
                    --secret whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg== \\
                    --signature v1,S2BlYGrzJelzCv5oFckjb8a3E0CJMWISD065NLPq5C4=

                The body has to be exactly the received bytes: an added newline changes it. \
                The exit code is 0 when the signature is valid and 1 when it is not.
                """)

        @Option(
            name: .long, parsing: .singleValue,
            help: "whsec_, whsk_ or whpk_; can be repeated: one valid secret is enough.")
        var secret: [String]

        @Option(name: .long, help: "The value of webhook-id.")
        var id: String?

        @Option(name: .long, help: "The value of webhook-timestamp.")
        var timestamp: String?

        @Option(name: .long, help: "The value of webhook-signature.")
        var signature: String?

        @Option(name: .long, help: "A file with the header lines, instead of the three options.", completion: .file())
        var headers: String?

        @Option(name: .long, help: "Maximum difference of the timestamp in seconds; 0 for no limit.")
        var tolerance = 300

        @Argument(help: "The body; - or no file for standard input.", completion: .file())
        var file: String?

        func validate() throws {
            guard tolerance >= 0 else { throw ValidationError("--tolerance has to be at least 0 seconds.") }
            if headers == nil, id == nil || timestamp == nil || signature == nil {
                throw ValidationError("Use --id, --timestamp and --signature, or --headers with all three.")
            }
            guard headers != "-" || file != nil && file != "-" else {
                throw ValidationError("Headers and body cannot both be standard input.")
            }
        }

        func run() throws {
            var secrets: [WebhookSecret] = []
            for text in secret {
                do throws(WebhookSecret.Failure) { secrets.append(try WebhookSecret(text)) } catch {
                    throw ValidationError("--secret: \(error)")
                }
            }
            let found = try headers.map { try Self.read(headers: BodyFile.read($0)) } ?? [:]
            let values = try [("webhook-id", id), ("webhook-timestamp", timestamp), ("webhook-signature", signature)]
                .map { name, given in
                    guard let value = given ?? found[name] else {
                        print("not valid: the header \(name) is missing")
                        throw ExitStatus.problems.exit
                    }
                    return value
                }
            let body = try BodyFile.read(file ?? "-")
            let now = WallClock.now
            do throws(WebhookVerifier.Failure) {
                try WebhookVerifier(secrets, tolerance: tolerance == 0 ? nil : .seconds(tolerance)).verify(
                    id: values[0], timestamp: values[1], signature: values[2], body: body, now: now)
            } catch {
                print("not valid: \(error)")
                throw ExitStatus.problems.exit
            }
            print("valid")
        }

        /// Parses header lines. Names are in lower case; a request line is skipped.
        private static func read(headers bytes: [UInt8]) -> [String: String] {
            var found: [String: String] = [:]
            for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                found[line[..<colon].lowercased().trimmingCharacters(in: .whitespaces)] = value
            }
            return found
        }
    }

    /// Sends one message, as the service does.
    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends one signed message and prints the response.",
            discussion: """
                Example:
                  fencepost webhook send --url https://example.com/hook --type region.entered \\
                    --secret whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg==

                The message is sent like those of the service: only to public addresses, without redirects, and with a \
                timeout of 15 seconds. The exit code is 0 for a 2xx, 1 for another status and 69 without a response.
                """)

        @Option(name: .long, help: "The receiver.")
        var url: String

        @Option(name: .long, parsing: .singleValue, help: "whsec_ or whsk_; can be repeated, newest first.")
        var secret: [String]

        @Option(name: .long, help: "Event type of the sample message.")
        var type = "webhook.test"

        @Option(name: .long, help: "The value of webhook-id; random by default.")
        var id: String?

        @Flag(name: .long, help: "Allow http URLs.")
        var allowHttp = false

        @Option(
            name: .long, parsing: .singleValue,
            help: "A private network that is allowed, such as 127.0.0.0/8; can be repeated.")
        var allowNetwork: [String] = []

        @Option(
            name: .long, help: "A PEM file with certificate authorities to trust besides the system's.",
            completion: .file())
        var caFile: String?

        @Argument(help: "The body; - for standard input. Without a file a sample message is sent.", completion: .file())
        var file: String?

        func run() async throws {
            let networks = try allowNetwork.map { text in
                guard let network = IPNetwork(text) else {
                    throw ValidationError("--allow-network: \(text) is not a network such as 10.0.0.0/8.")
                }
                return network
            }
            let addressGuard = AddressGuard(allowedNetworks: networks, allowsHTTP: allowHttp)
            do throws(EndpointURL.Failure) { _ = try EndpointURL(url, guard: addressGuard) } catch {
                throw ValidationError("--url: \(error).")
            }
            for text in secret {
                do throws(WebhookSecret.Failure) {
                    guard try WebhookSecret(text).canSign else { throw .notAKey }
                } catch {
                    throw ValidationError("--secret: \(error).")
                }
            }
            let now = WallClock.now
            let id = id ?? Self.makeID(now)
            guard !id.isEmpty, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") }) else {
                throw ValidationError(
                    "--id must not contain spaces or dots, which separate the parts of the signed content.")
            }
            let body =
                try file.map { String(decoding: try BodyFile.read($0), as: UTF8.self) }
                ?? SampleMessage.body(type: type, id: id, at: now)
            let sender: HTTPMessageSender
            do {
                sender = try HTTPMessageSender(guard: addressGuard, caFile: caFile, wall: { now })
            } catch {
                Console.say("fencepost: \(caFile ?? "") contains no certificates: \(error)")
                throw ExitStatus.noInput.exit
            }
            let answer = await sender.send(
                WebhookRequest(
                    endpointID: "end_command", url: url, secrets: secret, id: id, timestamp: now, body: body,
                    headers: ["content-type": "application/json"]))
            sender.shutdown()
            try report(answer, id: id)
        }

        private func report(_ result: AttemptResult, id: String) throws {
            let milliseconds = result.duration.milliseconds
            guard let status = result.status else {
                let reason = result.failure?.rawValue ?? "nothing"
                print("\(id): no response (\(reason)) after \(milliseconds) ms")
                if result.failure == .blocked {
                    Console.say("The host has an address that is not public. Use --allow-network to allow it.")
                }
                throw ExitStatus.unavailable.exit
            }
            print("\(id): \(status) after \(milliseconds) ms")
            if let excerpt = result.excerpt { Console.say(excerpt) }
            if result.failure != nil { throw ExitStatus.problems.exit }
        }

        private static func makeID(_ now: Timestamp) -> String {
            var identity = Identity()
            identity.add("webhook send")
            identity.add(now.milliseconds)
            identity.add(Int64(ProcessInfo.processInfo.processIdentifier))
            return identity.text(prefix: "evt_")
        }
    }
}

/// Reads the exact bytes of a body.
private enum BodyFile {
    static func read(_ path: String) throws -> [UInt8] {
        if path == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        guard let data = FileManager.default.contents(atPath: path) else {
            Console.say("fencepost: \(path) does not exist or cannot be read")
            throw ExitStatus.noInput.exit
        }
        return Array(data)
    }
}

/// A sample message about a device that does not exist.
private enum SampleMessage {
    static func body(type: String, id: String, at now: Timestamp) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        member("type", type, &writer)
        member("timestamp", now.rfc3339, &writer)
        writer.name("data")
        writer.beginObject()
        member("eventId", id, &writer)
        let isOfDevice = !type.hasPrefix("webhook.") && !type.hasPrefix("endpoint.") && !type.hasPrefix("delivery.")
        if isOfDevice {
            writer.name("sequence")
            writer.value(1)
            member("detectedAt", now.rfc3339, &writer)
            member("deviceId", "example/phone", &writer)
        }
        if type.hasPrefix("region.") {
            writer.name("region")
            writer.raw(#"{"id":"example","name":"Example","tags":["example"]}"#)
        }
        if type.hasPrefix("visit.") {
            let departure = type == "visit.departed" ? "\"\(now.rfc3339)\"" : "null"
            let arrival = (now - .seconds(3600)).rfc3339
            writer.name("visit")
            writer.raw(
                #"{"id":"vis_example","arrival":"\#(arrival)","departure":\#(departure),"latitude":48.85833,"#
                    + #""longitude":2.29513,"horizontalAccuracy":20,"regions":["example"]}"#)
        }
        if isOfDevice {
            writer.name("location")
            writer.raw(
                #"{"deviceId":"example/phone","timestamp":"\#(now.rfc3339)","latitude":48.85833,"#
                    + #""longitude":2.29513,"horizontalAccuracy":12}"#)
        }
        writer.name("test")
        writer.value(true)
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func member(_ name: String, _ text: String, _ writer: inout JSONWriter) {
        writer.name(name)
        writer.value(text)
    }
}

import ArgumentParser
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostWebhooks
import Foundation

/// What people need who write a receiver of webhooks.
struct WebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Checks a webhook's signature, sends one to try a receiver, or receives them.",
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
    /// Checks a message as its receiver does.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says whether the signature of a message is right, and if not, why.",
            discussion: """
                Example:
                  printf '{"n":1}' | fencepost webhook verify --tolerance 0 --id evt_1 \\
                    --timestamp 1772353800 \\
                    --secret whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg== \\
                    --signature v1,S2BlYGrzJelzCv5oFckjb8a3E0CJMWISD065NLPq5C4=

                The body is read as it is, to the last byte: a newline that an editor added makes it another one. \
                The exit code is 0 when the signature is right and 1 when it is not.
                """)

        @Option(
            name: .long, parsing: .singleValue,
            help: "whsec_, whsk_ or whpk_; may be repeated: one that fits is enough.")
        var secret: [String]

        @Option(name: .long, help: "The value of webhook-id.")
        var id: String?

        @Option(name: .long, help: "The value of webhook-timestamp.")
        var timestamp: String?

        @Option(name: .long, help: "The value of webhook-signature.")
        var signature: String?

        @Option(name: .long, help: "A file of header lines as they came, in place of the three.", completion: .file())
        var headers: String?

        @Option(name: .long, help: "How many seconds the timestamp may be off; 0 is any number.")
        var tolerance = 300

        @Argument(help: "The body; - or no file is standard input.", completion: .file())
        var file: String?

        func validate() throws {
            guard tolerance >= 0 else { throw ValidationError("--tolerance is a number of seconds, at least 0.") }
            if headers == nil, id == nil || timestamp == nil || signature == nil {
                throw ValidationError("--id, --timestamp and --signature are needed, or --headers with all of them.")
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
                        print("not valid: there is no header \(name)")
                        throw ExitStatus.problems.exit
                    }
                    return value
                }
            let body = try BodyFile.read(file ?? "-")
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            do throws(WebhookVerifier.Failure) {
                try WebhookVerifier(secrets, tolerance: tolerance == 0 ? nil : .seconds(tolerance)).verify(
                    id: values[0], timestamp: values[1], signature: values[2], body: body, now: now)
            } catch {
                print("not valid: \(error)")
                throw ExitStatus.problems.exit
            }
            print("valid")
        }

        /// Header lines by name in lower case; a request line before them does no harm.
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

    /// Sends one message as the service does.
    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends one signed message and says what was answered.",
            discussion: """
                Example:
                  fencepost webhook send --url https://example.com/hook --type region.entered \\
                    --secret whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg==

                It goes the way of the service's own messages: to public addresses only, without redirects, with a limit \
                of 15 seconds. The exit code is 0 for a 2xx, 1 for another status and 69 without an answer.
                """)

        @Option(name: .long, help: "The receiver.")
        var url: String

        @Option(name: .long, parsing: .singleValue, help: "whsec_ or whsk_; may be repeated, newest first.")
        var secret: [String]

        @Option(name: .long, help: "The event type of a message that is made up.")
        var type = "webhook.test"

        @Option(name: .long, help: "The value of webhook-id; made up when absent.")
        var id: String?

        @Flag(name: .long, help: "http: is good enough.")
        var allowHttp = false

        @Option(
            name: .long, parsing: .singleValue,
            help: "A network that may be called although it is private, such as 127.0.0.0/8; may be repeated.")
        var allowNetwork: [String] = []

        @Option(name: .long, help: "A PEM file of authorities to trust beside the system's.", completion: .file())
        var caFile: String?

        @Argument(help: "The body as it is to be sent; - is standard input. None: a made-up one.", completion: .file())
        var file: String?

        func run() async throws {
            let networks = try allowNetwork.map { text in
                guard let network = IPNetwork(text) else {
                    throw ValidationError("--allow-network: \(text) is no network such as 10.0.0.0/8.")
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
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            let id = id ?? Self.makeID(now)
            guard !id.isEmpty, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") }) else {
                throw ValidationError("--id has no spaces and no dots: they stand between the parts of what is signed.")
            }
            let body =
                try file.map { String(decoding: try BodyFile.read($0), as: UTF8.self) }
                ?? SampleMessage.body(type: type, id: id, at: now)
            let sender: HTTPMessageSender
            do {
                sender = try HTTPMessageSender(guard: addressGuard, caFile: caFile, wall: { now })
            } catch {
                Console.say("fencepost: \(caFile ?? "") holds no certificates: \(error)")
                throw ExitStatus.noInput.exit
            }
            let answer = await sender.send(
                WebhookRequest(
                    endpointID: "end_command", url: url, secrets: secret, id: id, timestamp: now, body: body,
                    headers: ["content-type": "application/json"]))
            await sender.shutdown()
            try report(answer, id: id)
        }

        private func report(_ answer: WebhookAnswer, id: String) throws {
            let milliseconds = answer.duration.milliseconds
            guard let status = answer.status else {
                let reason = answer.failure?.rawValue ?? "nothing"
                print("\(id): no answer (\(reason)) after \(milliseconds) ms")
                if answer.failure == .blocked {
                    Console.say("The name leads to an address that is not public; --allow-network lets it through.")
                }
                throw ExitStatus.unavailable.exit
            }
            print("\(id): \(status) after \(milliseconds) ms")
            if let excerpt = answer.excerpt { Console.say(excerpt) }
            if answer.failure != nil { throw ExitStatus.problems.exit }
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

/// A body as it is, byte for byte.
private enum BodyFile {
    static func read(_ path: String) throws -> [UInt8] {
        if path == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        guard let data = FileManager.default.contents(atPath: path) else {
            Console.say("fencepost: there is no \(path), or it cannot be read")
            throw ExitStatus.noInput.exit
        }
        return Array(data)
    }
}

/// A message in the shape of the service's, about a device that there is not.
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

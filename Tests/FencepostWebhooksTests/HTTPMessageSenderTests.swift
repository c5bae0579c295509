import FencepostModel
import FencepostService
import FencepostTransport
import NIOCore
import Synchronization
import Testing

@testable import FencepostWebhooks

/// A resolver with scripted addresses.
final class TestResolver: HostResolver {
    private let answers: Mutex<[[String]]>

    /// - Parameter answers: result of each look-up; the last one repeats. Empty: look-ups never end.
    init(_ answers: [String]...) { self.answers = Mutex(answers) }

    func addresses(of name: String) async throws -> [IPAddress] {
        let texts = answers.withLock { answers in answers.count > 1 ? answers.removeFirst() : answers.first }
        guard let texts else {
            try await Task.sleep(for: .seconds(3600))
            return []
        }
        guard !texts.isEmpty else { throw SystemResolver.Failure(code: -2) }
        return texts.compactMap { IPAddress($0) }
    }
}

@Suite("HTTP sender") struct HTTPMessageSenderTests {
    static let secret = "whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="
    static let time = Timestamp(seconds: 1_772_353_800)

    /// Sends one message and shuts the sender down.
    static func send(
        to url: String, resolver: TestResolver = TestResolver(["127.0.0.1"]), networks: [String] = ["127.0.0.0/8"],
        attempt: Duration = .seconds(5), caFile: String? = nil, times: Int = 1, headers: [String: String] = [:]
    ) async throws -> [AttemptResult] {
        var limits = HTTPMessageSender.Limits()
        limits.attempt = attempt
        let sender = try HTTPMessageSender(
            guard: AddressGuard(allowedNetworks: networks.compactMap(IPNetwork.init), allowsHTTP: true),
            resolver: resolver, caFile: caFile, limits: limits, version: "1.2.3", wall: { time })
        var answers: [AttemptResult] = []
        for _ in 0..<times {
            answers.append(
                await sender.send(
                    WebhookRequest(
                        endpointID: "end_a", url: url, secrets: [secret], id: "evt_01TEST", timestamp: time,
                        body: #"{"a":"ä"}"#,
                        headers: ["content-type": "application/json"].merging(headers) { $1 })))
        }
        sender.shutdown()
        return answers
    }

    @Test("sends a signed POST with the headers of Standard Webhooks")
    func request() async throws {
        try await TestReceiver.run({ _ in .answer(204) }) { receiver in
            let answer = try await Self.send(to: "http://hook.test:\(receiver.port)/a/b?c=d%20e")[0]
            #expect(answer.status == 204 && answer.failure == nil)
            let request = try #require(receiver.requests.first)
            #expect(request.head.first == "POST /a/b?c=d%20e HTTP/1.1")
            #expect(request.header("host") == "hook.test:\(receiver.port)")
            #expect(request.header("content-type") == "application/json")
            #expect(request.header("user-agent") == "Fencepost/1.2.3")
            #expect(request.header("webhook-id") == "evt_01TEST")
            #expect(request.header("webhook-timestamp") == "1772353800")
            #expect(request.header("accept-encoding") == nil)
            #expect(request.body == #"{"a":"ä"}"#)
            try WebhookVerifier([try WebhookSecret(Self.secret)]).verify(
                id: "evt_01TEST", timestamp: "1772353800",
                signature: try #require(request.header("webhook-signature")), body: request.body.utf8, now: Self.time)
        }
    }

    @Test("treats only 2xx as success", arguments: [200, 202, 299, 301, 302, 307, 400, 404, 410, 500, 503])
    func statuses(status: Int) async throws {
        try await TestReceiver.run({ request in
            request.head[0].contains("/elsewhere")
                ? .answer(200) : .answer(status, headers: ["location": "/elsewhere"], body: "why")
        }) { receiver in
            let answer = try await Self.send(to: "http://hook.test:\(receiver.port)/")[0]
            #expect(answer.status == status)
            #expect(answer.failure == ((200..<300).contains(status) ? nil : .status))
            #expect(answer.excerpt == "why")
            #expect(receiver.requests.count == 1, "a redirect is not followed")
        }
    }

    @Test("reads Retry-After and webhook-delivery")
    func wishes() async throws {
        let date = "Sun, 01 Mar 2026 08:31:30 GMT"
        try await TestReceiver.run({ request in
            switch request.head[0].split(separator: " ")[1] {
            case "/seconds": .answer(429, headers: ["Retry-After": "120", "Webhook-Delivery": "abort-message"])
            default: .answer(503, headers: ["retry-after": date, "webhook-delivery": "disable"])
            }
        }) { receiver in
            let seconds = try await Self.send(to: "http://hook.test:\(receiver.port)/seconds")[0]
            #expect(seconds.retryAfter == .seconds(120) && seconds.instruction == .abortMessage)
            let dated = try await Self.send(to: "http://hook.test:\(receiver.port)/date")[0]
            #expect(dated.retryAfter == .seconds(90) && dated.instruction == .disable)
        }
    }

    @Test(
        "ends an attempt in time when the receiver is slow or silent",
        arguments: [TestReceiver.Behaviour.hang, .trickleHead, .trickleBody(200), .trickleBody(500)])
    func hanging(behaviour: TestReceiver.Behaviour) async throws {
        try await TestReceiver.run({ _ in behaviour }) { receiver in
            // The header has to arrive within the limit, also on a busy machine.
            let limit: Duration =
                switch behaviour {
                case .trickleBody: .seconds(2)
                default: .milliseconds(400)
                }
            async let pause = Self.pause(of: limit)
            let answer = try await Self.send(to: "http://hook.test:\(receiver.port)/", attempt: limit)[0]
            // Compared with a plain sleep at the same time, because a busy machine delays both.
            let paused = try await pause
            #expect(answer.duration >= limit - .milliseconds(10) && answer.duration < paused + .seconds(10))
            switch behaviour {
            case .trickleBody(200): #expect(answer.status == 200 && answer.failure == nil)
            case .trickleBody: #expect(answer.status == 500 && answer.failure == .status)
            default: #expect(answer.status == nil && answer.failure == .timeout)
            }
        }
    }

    @Test("ends an attempt in time when the look-up does not end")
    func hangingResolver() async throws {
        async let pause = Self.pause(of: .milliseconds(200))
        let answer = try await Self.send(
            to: "http://hook.test/", resolver: TestResolver(), attempt: .milliseconds(200))[0]
        let paused = try await pause
        #expect(answer.failure == .timeout && answer.duration < paused + .seconds(10))
    }

    /// The time that the machine needs for a sleep of this duration now.
    private static func pause(of span: Duration) async throws -> Duration {
        let start = ContinuousClock.now
        try await Task.sleep(for: span)
        return ContinuousClock.now - start
    }

    @Test("reads a part of a large response and keeps a smaller one")
    func flood() async throws {
        try await TestReceiver.run({ _ in .flood(100_000_000) }) { receiver in
            let answer = try await Self.send(to: "http://hook.test:\(receiver.port)/")[0]
            #expect(answer.status == 200 && answer.failure == nil)
            #expect((4000...4096).contains(answer.excerpt?.utf8.count ?? 0))
            #expect(receiver.written < 10_000_000, "what lies in the buffers of two sockets, and no more")
        }
    }

    @Test("does not decompress responses, and replaces control characters")
    func rawAnswer() async throws {
        try await TestReceiver.run({ _ in
            .answer(400, headers: ["content-encoding": "gzip"], body: "a\u{1B}[31mb\nc")
        }) { receiver in
            let answer = try await Self.send(to: "http://hook.test:\(receiver.port)/")[0]
            #expect(answer.excerpt == "a [31mb\nc")
        }
    }

    @Test("classifies connection failures")
    func failures() async throws {
        for (behaviour, failure) in [
            (TestReceiver.Behaviour.reset, DeliveryAttempt.Failure.reset), (.close, .reset), (.garbage, .reset),
        ] {
            try await TestReceiver.run({ _ in behaviour }) { receiver in
                let answer = try await Self.send(to: "http://hook.test:\(receiver.port)/")[0]
                #expect(answer.failure == failure, "\(behaviour)")
            }
        }
        let port = try await TestReceiver.run({ _ in .hang }) { $0.port }
        #expect(try await Self.send(to: "http://127.0.0.1:\(port)/")[0].failure == .connect)
        #expect(try await Self.send(to: "http://hook.test/", resolver: TestResolver([]))[0].failure == .dns)
    }

    @Test("tries the next address when one does not connect")
    func fallback() async throws {
        try await TestReceiver.run({ _ in .answer(200) }) { receiver in
            let answer = try await Self.send(
                to: "http://hook.test:\(receiver.port)/", resolver: TestResolver(["127.0.0.9", "127.0.0.1"]))[0]
            #expect(answer.status == 200)
        }
    }

    @Test(
        "does not connect to forbidden addresses",
        arguments: [
            (["127.0.0.2"], "hook.test"), (["127.0.0.1", "10.0.0.1"], "hook.test"), (["::1"], "hook.test"),
            (["::ffff:127.0.0.2"], "hook.test"), (["127.0.0.1"], "127.0.0.2"), (["127.0.0.1"], "2130706434"),
            (["127.0.0.1"], "[::1]"), (["127.0.0.1"], "user@hook.test"),
        ])
    func blocked(addresses: [String], host: String) async throws {
        try await TestReceiver.run(on: "0.0.0.0", { _ in .answer(200) }) { receiver in
            let answer = try await Self.send(
                to: "http://\(host):\(receiver.port)/", resolver: TestResolver(addresses), networks: ["127.0.0.1/32"])[
                    0]
            #expect(answer == AttemptResult(failure: .blocked, duration: answer.duration))
            #expect(receiver.connections == 0)
        }
    }

    @Test("looks a name up and checks its addresses for each attempt")
    func rebinding() async throws {
        try await TestReceiver.run(on: "0.0.0.0", { _ in .answer(200) }) { receiver in
            let answers = try await Self.send(
                to: "http://hook.test:\(receiver.port)/",
                resolver: TestResolver(["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]),
                networks: ["127.0.0.1/32"], times: 4)
            #expect(answers.map(\.failure) == [nil, nil, .blocked, nil])
            #expect(receiver.connections == 1, "the connection to a checked address is used again")
        }
    }

    @Test("finishes an attempt in flight after a shutdown, and takes no other")
    func shutdownInFlight() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        try await TestReceiver.run({ _ in
            arrived.yield()
            return .trickleBody(200)
        }) { receiver in
            let client = HTTPClient()
            var request = HTTPClientRequest("GET", "http://127.0.0.1:\(receiver.port)/")
            request.isEnough = { $0.count >= 2 }
            let sent = request
            async let result = client.send(sent)
            for await _ in arrivals { break }
            client.shutdown()
            #expect(await result.response?.status == 200)
            #expect(await result.failure == nil)
            let late = await client.send(sent)
            #expect(late.response == nil && late.failure == .connect)
        }
    }

    @Test("reads the last response of several, fields without a value, and bodies in chunks; refuses line ends")
    func wire() async throws {
        try await TestReceiver.run({ request in
            request.head[0].hasPrefix("PUT /a/../b HTTP")
                ? .answer(200, headers: ["X-None": ""], body: request.body) : .close
        }) { receiver in
            var request = HTTPClientRequest("PUT", "http://127.0.0.1:\(receiver.port)/a/../b", body: Array("12".utf8))
            request.setHeader("X-Empty", "")
            let response = try await HTTPClient.shared.response(to: request)
            #expect(response.status == 200 && response.body == Array("12".utf8) && response.header("x-none") == "")
            let sent = try #require(receiver.requests.first)
            #expect(sent.header("x-empty") == "" && sent.header("expect") == nil && sent.header("content-type") == nil)
            request.setHeader("X-Empty", "a\r\nX-Other: b")
            let refused = await HTTPClient.shared.send(request)
            #expect(refused.failure == .request && receiver.requests.count == 1)
        }
    }

    @Test("ends a request when its task is cancelled")
    func cancellation() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        try await TestReceiver.run({ _ in
            arrived.yield()
            return .hang
        }) { receiver in
            let request = HTTPClientRequest("GET", "http://127.0.0.1:\(receiver.port)/")
            let task = Task { await HTTPClient.shared.send(request) }
            for await _ in arrivals { break }
            task.cancel()
            let result = await task.value
            #expect(result.response == nil && result.failure == .timeout)
        }
    }
}

@Suite("HTTP sender over TLS", .enabled(if: TestCertificates.isAvailable, "openssl makes the certificates"))
struct HTTPMessageSenderTLSTests {
    @Test("trusts the authority in its file for the host name of the URL")
    func trusted() async throws {
        let certificates = try TestCertificates()
        try await TestReceiver.run(tls: certificates.server("hook"), { _ in .answer(200) }) { receiver in
            let answer = try await HTTPMessageSenderTests.send(
                to: "https://hook.test:\(receiver.port)/", caFile: certificates.authority)[0]
            #expect(answer.status == 200)
            #expect(receiver.requests.first?.header("host") == "hook.test:\(receiver.port)")
            let other = try await HTTPMessageSenderTests.send(
                to: "https://other.test:\(receiver.port)/", caFile: certificates.authority)[0]
            #expect(other.failure == .tls)
            let byAddress = try await HTTPMessageSenderTests.send(
                to: "https://127.0.0.1:\(receiver.port)/", caFile: certificates.authority)[0]
            #expect(byAddress.failure == .tls)
            #expect(receiver.requests.count == 1)
        }
    }

    @Test(
        "sends nothing to a certificate that nobody vouches for, or that is over", arguments: ["hook", "ca", "stale"])
    func untrusted(name: String) async throws {
        let certificates = try TestCertificates()
        try await TestReceiver.run(tls: certificates.server(name), { _ in .answer(200) }) { receiver in
            let answer = try await HTTPMessageSenderTests.send(
                to: "https://hook.test:\(receiver.port)/", caFile: name == "stale" ? certificates.authority : nil)[0]
            #expect(answer.failure == .tls)
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test("requires TLS 1.2")
    func versions() async throws {
        let certificates = try TestCertificates()
        for tls in [certificates.server("hook", maximum: "TLSv1_1"), nil] {
            try await TestReceiver.run(tls: tls, { _ in .answer(200) }) { receiver in
                let answer = try await HTTPMessageSenderTests.send(
                    to: "https://hook.test:\(receiver.port)/", attempt: .seconds(2), caFile: certificates.authority)[0]
                #expect(answer.failure == .tls || tls == nil && answer.failure == .timeout)
                #expect(receiver.requests.isEmpty)
            }
        }
    }

    @Test("throws when the file of authorities cannot be read")
    func badFile() {
        #expect(throws: (any Error).self) {
            try HTTPMessageSender(caFile: "/nonexistent.pem", wall: { HTTPMessageSenderTests.time })
        }
    }
}

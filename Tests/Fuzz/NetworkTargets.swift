import FencepostCrypto
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import FencepostHTTP
@testable import FencepostMQTT
@testable import FencepostServer
@testable import FencepostWebhooks

/// Readers of what a network brings.
let networkTargets: [String: Target] = [
    "ingest": readIngest, "mqtt": readMQTT, "answer": readAnswer, "message": readMessage, "framing": readFraming,
    "credentials": readCredentials, "addresses": readAddresses,
]

private let now = Timestamp(seconds: 1_772_353_900)

/// The bodies of all ingest routes. The first byte selects the route.
private func readIngest(_ bytes: [UInt8]) {
    guard let route = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    let rules = FixRules(defaultDevice: DeviceID("a"), now: now)
    let request: IngestRequest?
    switch route % 10 {
    case 0: request = try? OverlandIngest.decode(body, tokenDevice: nil, rules: rules)
    case 1: request = try? OwnTracksIngest.decode(body, sender: DeviceID("a/b"), rules: rules, key: nil)
    case 2: request = try? OwnTracksIngest.decode(body, sender: nil, rules: rules, key: Array("secret".utf8))
    case 3: request = try? GPSLoggerIngest.decode(json: body, rules: rules, now: now)
    case 4: request = try? OsmAndIngest.decode(json: body, rules: rules, now: now)
    case 5: request = try? NativeIngest.decode(json: body, rules: rules)
    case 6: request = try? NativeIngest.decode(geojson: body, rules: rules)
    case 9: request = try? TraccarIngest.decode(body, rules: rules)
    default:
        guard let form = Query(String(decoding: body, as: UTF8.self)) else { return }
        let items = form.items.map { ($0.name, $0.value) }
        request =
            route % 10 == 7
            ? try? OsmAndIngest.decode(parameters: items, rules: rules, now: now)
            : try? GPSLoggerIngest.decode(parameters: items, rules: rules, now: now)
    }
    check(request?.locations ?? [])
    check(request?.livePositions ?? [])
    for rejected in request?.rejected ?? [] {
        precondition(!rejected.rejection.message.isEmpty && rejected.index >= 0, "a rejection is not explained")
    }
}

private func check(_ locations: [Location]) {
    for location in locations {
        precondition(location.coordinate.isValid, "a location is not on the globe")
        precondition(location.timestamp <= now + .seconds(86_400), "a location is from the future")
        precondition((try? DeviceID(validating: location.deviceID.rawValue)) != nil, "a device's id is not valid")
    }
}

/// A topic, a zero, and the payload.
private func readMQTT(_ bytes: [UInt8]) {
    var pieces = Pieces(bytes)
    let topic = pieces.text()
    let payload = Array(bytes.dropFirst(topic.utf8.count + 1))
    let reader = OwnTracksReader(MQTTSettings(host: "localhost", payloadLimit: 4096))
    let submission = waiting {
        var dropped = DroppedMembers()
        return await reader.submission(
            of: [MQTTMessage(topic: topic, payload: payload)], now: now, dropping: &dropped
        ) { _ in Array("secret".utf8) }
    }
    check(submission.locations)
    precondition(submission.quarantined.allSatisfy { !$0.detail.isEmpty }, "a rejection is not explained")
    let topics = MQTTTopics()
    for text in [
        topics.events(of: DeviceID(topic)), topics.state(of: DeviceID(topic)),
        topics.presence(of: DeviceID(topic), in: RegionID(topic)), topics.occupants(of: RegionID(topic)),
    ] {
        precondition(!text.contains { "#+\0".contains($0) }, "a topic has a wildcard")
    }
}

/// The response of a webhook's receiver, byte for byte.
private func readAnswer(_ bytes: [UInt8]) {
    let channel = EmbeddedChannel()
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
    do {
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
    } catch { preconditionFailure("a request cannot be written: \(error)") }
    var part = channel.allocator.buffer(capacity: bytes.count)
    for chunk in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
        part.clear()
        part.writeBytes(chunk)
        _ = try? channel.writeInbound(part)
    }
    var body: [UInt8] = []
    while let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
        switch part {
        case .head(let head):
            for value in head.headers["retry-after"] {
                precondition((RetryAfter.delay(value, now: now) ?? .zero) >= .zero, "a delay is negative")
            }
            for value in head.headers["webhook-delivery"] { _ = AttemptResult.Instruction(rawValue: value) }
        case .body(let buffer): body += buffer.readableBytesView
        case .end: break
        }
    }
    let excerpt = HTTPMessageSender.excerpt(body, limit: 512)
    precondition((excerpt ?? "").utf8.count <= 512, "an excerpt is too long")
    _ = RetryAfter.telegram(excerpt)
    let text = String(decoding: bytes.prefix(64), as: UTF8.self)
    precondition((RetryAfter.delay(text, now: now) ?? .zero) >= .zero, "a delay is negative")
}

/// The request of each service for people about a message: JSON, whatever the message has.
private func readMessage(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for kind in Endpoint.Kind.allCases where kind.isForPeople {
        var endpoint = Endpoint(id: "a", url: "https://example.org/topic", secrets: [], createdAt: now)
        endpoint.kind = kind
        (endpoint.people.token, endpoint.people.chat) = ("token", "1")
        (endpoint.people.from, endpoint.people.to) = ("a@example.org", ["b@example.org"])
        endpoint.people.link = "https://example.org"
        endpoint.people.timeZone = "GMT"
        let message = PersonalMessage(endpoint, bodies: [text], zone: nil)
        if kind == .email {
            let mail = MailMessage(message, id: "msg_1", wall: now)
            precondition(!mail.text.isEmpty, "a mail is empty")
        } else if let request = ServiceRequest(message, to: endpoint.url) {
            precondition((try? JSONDocument(parsing: request.body)) != nil, "a request is not JSON")
        }
    }
}

/// The bytes of a connection. The first byte says how they are cut into reads.
private func readFraming(_ bytes: [UInt8]) {
    guard let size = bytes.first.map({ Int($0) % 61 + 1 }) else { return }
    let channel = EmbeddedChannel()
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    let connectionGuard = ConnectionGuard(limits: ConnectionLimits())
    do {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ByteCounter(for: connectionGuard))
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
        try pipeline.addHandler(connectionGuard)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    } catch { preconditionFailure("a channel cannot be made: \(error)") }
    var rest = bytes.dropFirst()
    var open = 0
    while !rest.isEmpty, channel.isActive {
        var part = channel.allocator.buffer(capacity: size)
        part.writeBytes(rest.prefix(size))
        rest = rest.dropFirst(size)
        _ = try? channel.writeInbound(part)
        while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head):
                precondition(open == 0, "a request begins inside another one")
                precondition(head.headers["host"].count <= 1, "a request with two hosts came through")
                open = 1
            case .body: precondition(open == 1, "a body has no request")
            case .end:
                precondition(open == 1, "an end has no request")
                open = 0
                let response = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
                _ = try? channel.writeOutbound(HTTPServerResponsePart.head(response))
                _ = try? channel.writeOutbound(HTTPServerResponsePart.end(nil))
            }
        }
        channel.embeddedEventLoop.run()
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(120))
}

/// Cookies, tokens, share links, queries and cursors.
private func readCredentials(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    var headers = HTTPFields()
    headers[.cookie] = text
    if let secret = SessionCookie.secret(in: headers) {
        precondition(!secret.contains(";"), "a secret contains the next cookie")
        let cookie = SessionCookie.setting(secret, lifetime: .seconds(60), isSecure: true)
        precondition(cookie.hasPrefix(SessionCookie.name), "a cookie has another name")
    }
    for prefix in [TokenText.prefix, SessionCookie.prefix, SessionAuthenticator.sharePrefix] {
        if TokenText.isWellFormed(text, prefix: prefix) { precondition(text.utf8.count == prefix.utf8.count + 44) }
    }
    if let query = Query(text) {
        let again = Query(
            query.items.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&"))
        precondition(
            again?.items.elementsEqual(query.items) { $0 == $1 } == true, "a query is not read as it was written")
    }
    // A cursor is opaque, so anything may come back as one.
    for cursor in [text, Cursor.encode(text)] {
        _ = Cursor.number(cursor)
        _ = Cursor.id(cursor)
        for order in HistoryOrder.allCases {
            if let time = Cursor.time(cursor, order) {
                precondition(Cursor.time(Cursor.encode(time, order), order) == time)
            }
            if let found = Cursor.deviceLocation(cursor, order) {
                let again = Cursor.deviceLocation(Cursor.encode(found.device, found.cursor, order), order)
                precondition(again?.device == found.device && again?.cursor == found.cursor)
            }
        }
        if let location = Cursor.location(cursor) { precondition(Cursor.location(Cursor.encode(location)) == location) }
    }
    precondition(Cursor.decode(Cursor.encode(text)) == text || text.utf8.count > 700, "a cursor has lost its text")
}

/// Addresses, networks and URLs of endpoints.
private func readAddresses(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let address = IPAddress(text) {
        precondition(IPAddress(address.description) == address, "an address is not read as it was written")
    }
    if let network = IPNetwork(text) {
        precondition(IPNetwork(network.description) == network, "a network is not read as it was written")
    }
    _ = NetworkRange(text)?.contains("127.0.0.1")
    for addressGuard in [AddressGuard(), AddressGuard(allowsHTTP: true)] {
        if let url = try? EndpointURL(text, guard: addressGuard), case .address(let address) = url.host {
            precondition(addressGuard.permits(address), "a forbidden address came through")
        }
    }
}

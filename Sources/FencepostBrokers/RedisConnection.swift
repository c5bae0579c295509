import CHiredis
import FencepostModel
import FencepostService
import FencepostWebhooks

/// Redis: entries of streams.
final class RedisConnection: BrokerConnection {
    /// Owned: the end of this object closes it.
    private let link: OpaquePointer
    private let maximumLength: Int?
    private(set) var isUsable = true

    init(to target: BrokerTarget, until deadline: ContinuousClock.Instant) throws(BrokerFailure) {
        if let problem = redis_link_load() { throw .library(package: redis_link_package, problem) }
        let settings = target.settings
        maximumLength = settings.destination.maximumLength
        link = try target.first(until: deadline) { server, address, limit throws(BrokerFailure) in
            var created: OpaquePointer?
            let (status, text) = withText { text, size in
                redis_link_open(
                    &created, "\(address)", Int32(server.port), target.url.isSecure ? server.name : nil,
                    settings.caFile, limit.wholeMilliseconds, text, size)
            }
            guard let link = created else { throw BrokerFailure(status, text) }
            return link
        }
        do throws(BrokerFailure) {
            if let password = settings.password {
                let credentials = [settings.username, password].compactMap(\.self)
                do throws(BrokerFailure) { try run(["AUTH"] + credentials, until: deadline) } catch {
                    throw error.reason == .refused ? BrokerFailure(.login, error.text) : error
                }
            }
            if let database = target.url.database, database > 0 { try run(["SELECT", "\(database)"], until: deadline) }
        } catch {
            // The object is complete, so that its end closes the connection.
            throw error
        }
    }

    deinit { redis_link_close(link) }

    func publish(_ message: BrokerMessage, within limit: Duration) throws(BrokerFailure) {
        var words = ["XADD", message.address]
        // Redis removes whole nodes of its tree, which is much cheaper than an exact number.
        if let maximumLength { words += ["MAXLEN", "~", "\(maximumLength)"] }
        words += ["*", "id", message.id, "type", message.type]
        if let device = message.device { words += ["device", device] }
        words += ["content-type", message.contentType]
        for (name, value) in message.attributes { words += ["ce-" + name, value] }
        words += ["body", message.body]
        try run(words, until: .now + limit)
    }

    private func run(_ words: [String], until deadline: ContinuousClock.Instant) throws(BrokerFailure) {
        let left = deadline - .now
        guard left > .zero else {
            isUsable = false
            throw BrokerFailure(.timeout, "no answer in time")
        }
        let bytes = words.map { Array($0.utf8) }
        var pointers: [UnsafePointer<CChar>?] = []
        let lengths = bytes.map(\.count)
        // One buffer has all words, each with its end.
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: lengths.reduce(0, +) + words.count)
        defer { buffer.deallocate() }
        var offset = 0
        for word in bytes {
            pointers.append(UnsafePointer(buffer + offset))
            for byte in word + [0] {
                buffer[offset] = CChar(bitPattern: byte)
                offset += 1
            }
        }
        let (status, text) = withText { text, size in
            redis_link_command(link, Int32(words.count), pointers, lengths, left.wholeMilliseconds, text, size)
        }
        guard status != redis_link_ok else { return }
        // Another server may have taken over from one that only reads now.
        isUsable = status == redis_link_error && !text.hasPrefix("READONLY")
        throw BrokerFailure(status, text)
    }
}

extension BrokerFailure {
    fileprivate init(_ status: redis_link_status, _ text: String) {
        switch status {
        case redis_link_connect: self.init(.connect, text)
        case redis_link_tls: self.init(.tls, text)
        case redis_link_timeout: self.init(.timeout, text)
        case redis_link_error: self.init(Self.reason(of: text), text)
        // `redis_link_lost`: a C enum may have other values, and what follows from them is the same.
        default: self.init(.reset, text)
        }
    }

    /// The first word of an error of Redis names it.
    private static func reason(of text: String) -> DeliveryAttempt.Failure {
        // A client that has not signed in may not send commands of more than ten words.
        if text.contains("unauthenticated") { return .login }
        switch text.prefix(while: { $0 != " " }) {
        case "OOM", "MISCONF", "NOREPLICAS": return .full
        case "NOAUTH", "WRONGPASS": return .login
        // An error of any other name is a refusal, such as "WRONGTYPE", "NOPERM", "READONLY" and "LOADING".
        default: return .refused
        }
    }
}

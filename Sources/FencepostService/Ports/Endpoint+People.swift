public import FencepostModel
import FencepostRegionFiles
import Foundation

extension Endpoint {
    /// What receives the messages of an endpoint.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A program: signed JSON.
        case webhook
        /// A person, through a service or a mail server.
        case ntfy, gotify, telegram, slack, discord, email, apprise
        /// The broker of `mqtt.publish`. Only the configuration makes such an endpoint.
        case mqtt
        /// A message broker. Messages have no signature, since the broker knows who has signed in.
        case nats, redis, amqp, kafka

        /// Whether a person reads the messages. They are written by templates.
        public var isForPeople: Bool {
            switch self {
            case .webhook, .mqtt, .nats, .redis, .amqp, .kafka: false
            case .ntfy, .gotify, .telegram, .slack, .discord, .email, .apprise: true
            }
        }

        /// Whether messages have a signature, so that a secret matters.
        public var isSigned: Bool { self == .webhook }

        /// The kinds that a user can make.
        public static var chosen: [Kind] { allCases.filter { $0 != .mqtt } }

        /// Whether the URL itself gives access to the channel, so that nobody may read it again.
        public var hasSecretURL: Bool { self == .slack || self == .discord }
    }

    /// How messages are written for people, and the credentials at the service or broker that takes them.
    public struct People: Hashable, Sendable, Codable {
        /// The access token of ntfy, Gotify, a Telegram bot or NATS; `nil` for none. Never shown.
        public var token: String?
        /// The chat of Telegram: a number or `@channel`.
        public var chat: String?
        /// The sender of e-mail.
        public var from: String?
        /// The recipients of e-mail.
        public var to: [String] = []
        /// The user name at the mail server or broker; `nil` for none.
        public var username: String?
        /// The password at the mail server or broker. Never shown.
        public var password: String?
        /// Addresses of services for Apprise's stateless route. Never shown.
        public var urls: [String] = []
        /// The priority in the numbers of ntfy (1 to 5) or Gotify (0 to 10); `nil` for the service's default.
        public var priority: Int?
        /// The Mustache template of the title; `nil` for the default.
        public var title: String?
        /// The Mustache template of the text; `nil` for the default.
        public var body: String?
        /// Names of devices by id.
        public var names: [String: String] = [:]
        /// IANA name of the zone of the times in messages; `nil` for the zone of the service.
        public var timeZone: String?
        /// The units of distances and speeds; `nil` for metric ones.
        public var units: UnitSystem?
        /// Address of Fencepost's page, for links to events; `nil` for no links.
        public var link: String?
        /// Span in which messages are collected into one; `nil` for one message each.
        public var group: Duration?

        /// The defaults.
        public init() {}
    }

    /// Spans of local time in which an endpoint is silent.
    public struct QuietHours: Hashable, Sendable, Codable {
        /// IANA name of the zone of the times.
        public var timeZone: String
        /// Days and times, as in a region's schedule.
        public var weekly: [String]
        /// Dates on which no quiet span begins.
        public var except: [String]
        /// Whether the messages of these hours are dropped. Otherwise they are sent afterwards.
        public var drops: Bool

        /// The quiet spans; the texts are those of a region's schedule.
        public init(timeZone: String, weekly: [String], except: [String] = [], drops: Bool = false) {
            self.timeZone = timeZone
            self.weekly = weekly
            self.except = except
            self.drops = drops
        }

        /// The spans; `nil` when a text is invalid, which readers of endpoints refuse.
        public var schedule: Schedule? { Schedule(timeZone: timeZone, weekly: weekly, except: except) }
    }

    /// The URL as it may be shown: without its path if the URL itself is a secret.
    public var shownURL: String {
        kind.hasSecretURL ? origin + "/********" : url
    }

    /// Takes over the secrets of an endpoint that is changed or replaced, where a request leaves them out.
    ///
    /// They stay with their server: who changes the address has to know the secrets, or could have them sent anywhere.
    ///
    /// - Parameters:
    ///   - current: the endpoint as it was.
    ///   - given: the members of the request.
    mutating func keepSecrets(of current: Endpoint, given: Set<String>) {
        if url == current.shownURL { url = current.url }
        let stays = kind == current.kind && origin == current.origin
        if !given.contains("token") { people.token = stays ? current.people.token : nil }
        if !given.contains("password") { people.password = stays ? current.people.password : nil }
        if !given.contains("urls") { people.urls = stays ? current.people.urls : [] }
    }

    /// Scheme, host and port of the URL.
    private var origin: Substring {
        guard let start = url.range(of: "://")?.upperBound else { return url[...] }
        return url[..<(url[start...].firstIndex(of: "/") ?? url.endIndex)]
    }
}

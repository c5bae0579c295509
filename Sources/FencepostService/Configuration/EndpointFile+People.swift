import FencepostGeometry
import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostRegionFiles
import Foundation

/// Reads and writes the members of endpoints for people.
extension EndpointFile {
    /// The keys that only endpoints for people have.
    static let peopleKeys = [
        "token", "chat", "from", "to", "username", "password", "urls", "priority", "template", "names", "timeZone",
        "units", "link", "group",
    ]

    /// Largest number of characters of a template.
    static let templateLimit = 4096

    static func readPeople(_ members: [String: JSONElement], of endpoint: inout Endpoint, _ reader: inout Reader) {
        let pointer = reader.pointer
        if let text = reader.text(members, "kind") {
            if let kind = Endpoint.Kind(rawValue: text), kind != .mqtt || endpoint.kind == .mqtt {
                endpoint.kind = kind
            } else if text == Endpoint.Kind.mqtt.rawValue {
                reader.report(
                    pointer.appending("kind"), "invalid_value",
                    "Set up MQTT on the page, or set \"mqtt\": {\"publish\": true} in the configuration, to publish events to a broker."
                )
            } else {
                let known = Endpoint.Kind.chosen.map(\.rawValue)
                let hint = nearest(to: text, in: known).map { "did you mean \"\($0)\"?" }
                reader.report(
                    pointer.appending("kind"), "invalid_value",
                    "There is no kind \"\(text)\"; "
                        + (hint ?? "known are " + known.map { "\"\($0)\"" }.joined(separator: ", ") + "."))
            }
        }
        if endpoint.kind == .telegram, endpoint.url.isEmpty { endpoint.url = "https://api.telegram.org" }
        readTexts(members, &endpoint.people, &reader)
        if let element = members["to"] {
            if let address = element.string, !address.isEmpty {
                endpoint.people.to = [address]
            } else if let to = reader.texts(members, "to") {
                endpoint.people.to = to
            }
        }
        if let urls = reader.texts(members, "urls") { endpoint.people.urls = urls }
        if let element = members["template"] { readTemplate(element, &endpoint.people, &reader) }
        if let element = members["names"] { readNames(element, &endpoint.people, &reader) }
        if let element = members["units"] {
            if element.isNull {
                endpoint.people.units = nil
            } else if let units = element.string.flatMap(UnitSystem.init(rawValue:)) {
                endpoint.people.units = units
            } else {
                reader.report(pointer.appending("units"), "invalid_value", "This has to be \"metric\" or \"imperial\".")
            }
        }
        if let element = members["priority"] {
            let range = endpoint.kind == .gotify ? 0...10 : 1...5
            if element.isNull {
                endpoint.people.priority = nil
            } else if let number = element.double.flatMap(Int.init(exactly:)), range.contains(number) {
                endpoint.people.priority = number
            } else {
                reader.report(
                    pointer.appending("priority"), "invalid_value",
                    "This has to be a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
        }
        if let element = members["cooldown"] { endpoint.cooldown = reader.span(element, "cooldown") }
        if let element = members["group"] { endpoint.people.group = reader.span(element, "group", atMost: 86_400) }
        if let element = members["quietHours"] {
            endpoint.quietHours = readQuietHours(element, zone: endpoint.people.timeZone, &reader)
        }
    }

    private static func readTexts(
        _ members: [String: JSONElement], _ people: inout Endpoint.People, _ reader: inout Reader
    ) {
        let texts: [(String, WritableKeyPath<Endpoint.People, String?>)] = [
            ("token", \.token), ("chat", \.chat), ("from", \.from), ("username", \.username), ("password", \.password),
            ("timeZone", \.timeZone), ("link", \.link),
        ]
        for (name, path) in texts {
            guard let element = members[name] else { continue }
            if element.isNull {
                people[keyPath: path] = nil
            } else if name == "chat", let number = element.double.flatMap(Int64.init(exactly:)) {
                people.chat = String(number)
            } else if let text = reader.text(members, name, limit: 2048) {
                // Each of them becomes part of a header or an address, where a line break would start another one.
                if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
                    reader.report(
                        reader.pointer.appending(name), "invalid_value", "This must not contain control characters.")
                } else {
                    people[keyPath: path] = text
                }
            }
        }
        if let zone = people.timeZone, TimeZone(identifier: zone) == nil {
            reader.report(
                reader.pointer.appending("timeZone"), "unknown_time_zone",
                "There is no time zone \"\(zone)\"; write its name as \"Europe/Lisbon\".")
        }
        if let link = people.link, !link.hasPrefix("https://"), !link.hasPrefix("http://") {
            reader.report(
                reader.pointer.appending("link"), "invalid_value",
                "This has to be the address of the page, such as \"https://fencepost.example.org\".")
        }
    }

    private static func readTemplate(
        _ element: JSONElement, _ people: inout Endpoint.People, _ reader: inout Reader
    ) {
        let pointer = reader.pointer.appending("template")
        if element.isNull {
            (people.title, people.body) = (nil, nil)
            return
        }
        guard let object = element.object else {
            return reader.report(
                pointer, "invalid_value", "This has to be an object with \"title\", \"body\" or both.")
        }
        for member in object {
            let at = pointer.appending(member.name)
            guard member.name == "title" || member.name == "body" else {
                reader.report(at, "unknown_key", "A template has the keys \"title\" and \"body\".")
                continue
            }
            var text: String?
            if !member.value.isNull {
                guard let given = member.value.string, given.unicodeScalars.count <= templateLimit else {
                    reader.report(
                        at, "invalid_value", "This has to be a text of at most \(templateLimit) characters.")
                    continue
                }
                if let problem = MessageTemplate.problem(with: given) {
                    reader.report(at, "invalid_template", problem)
                    continue
                }
                text = given
            }
            if member.name == "title" { people.title = text } else { people.body = text }
        }
    }

    private static func readNames(_ element: JSONElement, _ people: inout Endpoint.People, _ reader: inout Reader) {
        let pointer = reader.pointer.appending("names")
        people.names = [:]
        if element.isNull { return }
        guard let object = element.object, object.count <= 1000 else {
            return reader.report(
                pointer, "invalid_value", "This has to be an object of at most 1000 device ids with their names.")
        }
        for member in object {
            if TextLimit.deviceID.admits(member.name), let name = member.value.string, TextLimit(1...100).admits(name) {
                people.names[member.name] = name
            } else {
                reader.report(
                    pointer.appending(member.name), "invalid_value", "This has to be a name of 1 to 100 characters.")
            }
        }
    }

    /// The forms are `"22:00-07:00"`, an array of such texts, and an object.
    private static func readQuietHours(
        _ element: JSONElement, zone: String?, _ reader: inout Reader
    ) -> Endpoint.QuietHours? {
        if element.isNull { return nil }
        let pointer = reader.pointer.appending("quietHours")
        let common = reader.zone ?? .current
        var hours = Endpoint.QuietHours(timeZone: zone ?? common.identifier, weekly: [])
        if zone == nil, element["timeZone"] == nil { reader.hasUsedZone = true }
        if let text = element.string {
            hours.weekly = [text]
        } else if let array = element.array {
            hours.weekly = array.compactMap(\.string)
        } else if let object = element.object {
            for member in object {
                switch member.name {
                case "timeZone": hours.timeZone = member.value.string ?? ""
                case "weekly": hours.weekly = member.value.array?.compactMap(\.string) ?? []
                case "except": hours.except = member.value.array?.compactMap(\.string) ?? [""]
                case "drop": hours.drops = member.value.bool ?? false
                case "from", "to": break
                default:
                    reader.report(
                        pointer.appending(member.name), "unknown_key",
                        "Quiet hours have the keys \"timeZone\", \"weekly\" or \"from\" and \"to\", \"except\", "
                            + "\"drop\".")
                }
            }
            if let from = element["from"]?.string, let to = element["to"]?.string {
                hours.weekly.append("\(from)-\(to)")
            }
        }
        guard hours.weekly.count <= 128, hours.except.count <= 1024 else {
            reader.report(
                pointer, "too_many_values", "Quiet hours have at most 128 entries in \"weekly\" and 1024 in \"except\"."
            )
            return nil
        }
        guard hours.schedule != nil else {
            reader.report(
                pointer, "invalid_value",
                "Write quiet hours as \"22:00-07:00\" or as "
                    + "{\"timeZone\":\"Europe/Lisbon\",\"weekly\":[\"Sun-Thu 22:00-07:00\",\"Fri,Sat 23:30-09:00\"]}.")
            return nil
        }
        return hours
    }

    // MARK: Whole endpoints

    /// Reports members that the kind needs and does not have, or has and does not know.
    static func checkKind(of endpoint: Endpoint, _ members: [String: JSONElement], _ reader: inout Reader) {
        let kind = endpoint.kind
        let known = kind.keys
        for name in peopleKeys + brokerKeys
        where members[name] != nil && members[name]?.isNull != true && !known.contains(name) {
            reader.report(
                reader.pointer.appending(name), "unknown_key",
                "An endpoint of the kind \"\(kind.rawValue)\" has no \"\(name)\".")
        }
        if kind.isForPeople, endpoint.format != .standard {
            reader.report(
                reader.pointer.appending("format"), "invalid_value", "Only webhooks have a format; leave it out.")
        }
        let people = endpoint.people
        let needs: [(name: String, isMissing: Bool, example: String)] =
            switch kind {
            case .webhook, .mqtt, .ntfy, .slack, .discord, .apprise, .nats, .redis, .amqp, .kafka: []
            case .gotify: [("token", people.token == nil, "the token of an application in Gotify")]
            case .telegram:
                [
                    ("token", people.token == nil, "the token that @BotFather gave for the bot"),
                    ("chat", people.chat == nil, "the number of the chat, or \"@channel\""),
                ]
            case .email:
                [
                    ("from", people.from == nil, "the address of the sender"),
                    ("to", people.to.isEmpty, "the addresses of the recipients"),
                ]
            }
        for need in needs where need.isMissing {
            reader.report(
                reader.pointer.appending(need.name), "missing_key",
                "An endpoint of the kind \"\(kind.rawValue)\" needs \"\(need.name)\": \(need.example).")
        }
        for (index, address) in (people.to + [people.from].compactMap(\.self)).enumerated() where kind == .email {
            guard !isMailAddress(address) else { continue }
            let at = index < people.to.count ? reader.pointer.appending("to") : reader.pointer.appending("from")
            reader.report(at, "invalid_value", "\"\(address)\" is not an address such as jane@example.org.")
        }
        checkBroker(of: endpoint, members, &reader)
        if endpoint.isOrdered, people.group != nil {
            reader.report(
                reader.pointer.appending("group"), "invalid_value",
                "Messages that are collected are in order already; leave out \"ordered\" or \"group\".")
        }
    }

    private static func isMailAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !"<>,;()\"\\[]:".unicodeScalars.contains($0)
            }
    }
}

extension EndpointFile.Reader {
    /// A number of seconds or an ISO 8601 duration; `nil` for null.
    mutating func span(_ element: JSONElement, _ name: String, atMost limit: Double = 31_622_400) -> Duration? {
        if element.isNull { return nil }
        let span =
            element.double.flatMap { seconds in
                (0...limit).contains(seconds) ? Duration.milliseconds(Int64(clamped: (seconds * 1000).rounded())) : nil
            }
            ?? element.string.flatMap(Duration.init(iso8601:))
        if let span, span >= .zero, span.seconds <= limit { return span == .zero ? nil : span }
        report(
            pointer.appending(name), "invalid_value",
            "This has to be a number of seconds from 0 to \(Int(clamped: limit)), or a duration such as \"PT15M\".")
        return nil
    }
}

extension Endpoint.Kind {
    /// The keys of `EndpointFile.peopleKeys` and `brokerKeys` that an endpoint of this kind has.
    var keys: [String] {
        let common = ["template", "names", "timeZone", "units", "link", "group"]
        switch self {
        // The zone is that of quiet hours.
        case .webhook, .mqtt: return ["timeZone"]
        case .ntfy, .gotify: return common + ["token", "priority"]
        case .telegram: return common + ["token", "chat"]
        case .slack, .discord: return common
        case .email: return common + ["from", "to", "username", "password"]
        case .apprise: return common + ["urls"]
        case .nats: return ["timeZone", "username", "password", "token", "subject", "jetStream"]
        case .redis: return ["timeZone", "username", "password", "stream", "maximumLength"]
        case .amqp: return ["timeZone", "username", "password", "exchange", "routingKey"]
        case .kafka: return ["timeZone", "username", "password", "saslMechanism"]
        }
    }

    /// The problem of an endpoint without a URL.
    var missingURL: String {
        switch self {
        case .webhook, .mqtt: "An endpoint needs a \"url\" to call."
        case .ntfy: "ntfy needs a \"url\" with the topic, such as https://ntfy.sh/my-topic."
        case .gotify: "Gotify needs the \"url\" of its server, such as https://gotify.example.org."
        case .telegram: "Telegram's \"url\" is https://api.telegram.org; leave it out."
        case .slack: "Slack needs the \"url\" of an incoming webhook, https://hooks.slack.com/services/…"
        case .discord: "Discord needs the \"url\" of a channel's webhook, https://discord.com/api/webhooks/…"
        case .email: "E-mail needs the \"url\" of a mail server, such as smtp://mail.example.org:587."
        case .nats, .redis, .amqp, .kafka: "A broker needs a \"url\", such as \(broker?.example ?? "")."
        case .apprise: "Apprise needs the \"url\" of its API, such as https://apprise.example.org/notify/family."
        }
    }
}

extension JSONWriter {
    /// Writes the members of endpoints for people, without secrets.
    mutating func writePeople(of endpoint: Endpoint) {
        if let cooldown = endpoint.cooldown {
            name("cooldown")
            value(cooldown.seconds)
        }
        if let hours = endpoint.quietHours {
            name("quietHours")
            beginObject()
            text("timeZone", hours.timeZone)
            list("weekly", hours.weekly)
            if !hours.except.isEmpty { list("except", hours.except) }
            name("drop")
            value(hours.drops)
            endObject()
        }
        let people = endpoint.people
        if let zone = people.timeZone { text("timeZone", zone) }
        guard endpoint.kind.isForPeople else { return }
        for (name, value) in [
            ("chat", people.chat), ("from", people.from), ("username", people.username), ("link", people.link),
        ] {
            if let value { text(name, value) }
        }
        if let units = people.units { text("units", units.rawValue) }
        if !people.to.isEmpty { list("to", people.to) }
        if let priority = people.priority {
            name("priority")
            value(priority)
        }
        if people.title != nil || people.body != nil {
            name("template")
            beginObject()
            if let title = people.title { text("title", title) }
            if let body = people.body { text("body", body) }
            endObject()
        }
        if !people.names.isEmpty {
            name("names")
            beginObject()
            for (id, name) in people.names.sorted(by: { $0.key < $1.key }) { text(id, name) }
            endObject()
        }
        if let group = people.group {
            name("group")
            value(group.seconds)
        }
    }
}

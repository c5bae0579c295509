internal import FencepostGeometry
public import FencepostJSON
public import FencepostModel
public import Foundation

/// Reads the JSON of endpoints, in the configuration file and in requests.
public enum EndpointFile {
    /// An endpoint as it was read, before its defaults are filled in.
    public struct Draft: Hashable, Sendable {
        /// `id` and `secrets` are empty when the object has none. `createdAt` is not set.
        public var endpoint: Endpoint
        /// Hash of the object.
        public var hash: String
    }

    /// The keys of an endpoint.
    public static let keys =
        [
            "id", "url", "secret", "description", "events", "regions", "devices", "apps", "when", "ordered", "format",
            "precision", "includeLocation", "history", "corrections", "maximumAge", "kind", "quietHours", "cooldown",
            "batchSize",
        ] + peopleKeys + brokerKeys

    /// Largest number of endpoints: each event is sent to every endpoint that wants it (rule L6).
    public static let maximumEndpoints = 128

    /// Largest number of events in one request.
    public static let largestBatch = 100

    /// Largest number of characters in a text, and of entries in a list.
    static let textLimit = 256

    /// Reads an endpoint. The function is long because it has one short paragraph per key.
    ///
    /// - Parameters:
    ///   - element: the JSON object.
    ///   - pointer: its position in the document, for diagnostics.
    ///   - file: the name in diagnostics.
    ///   - base: values for missing keys, for a PATCH; `nil` for a new endpoint, which needs a `url`.
    ///   - current: the endpoint that is replaced. Secrets that the object leaves out stay; `nil` for a new one.
    ///   - zone: the service's zone, for quiet hours that name none; `nil` for that of the machine.
    /// - Returns: the endpoint, `nil` with a problem; and all problems. `EndpointServices` checks the URL.
    public static func read(
        _ element: JSONElement, at pointer: JSONPointer = JSONPointer(), file: String? = nil,
        over base: Endpoint? = nil, replacing current: Endpoint? = nil, zone: TimeZone? = nil
    ) -> (Draft?, [Diagnostic]) {
        var reader = Reader(file: file, pointer: pointer, zone: zone)
        guard let object = element.object else {
            reader.report(pointer, "invalid_value", "An endpoint has to be an object.")
            return (nil, reader.diagnostics)
        }
        var members: [String: JSONElement] = [:]
        for member in object {
            if keys.contains(member.name) {
                members[member.name] = member.value
            } else {
                let hint = nearest(to: member.name, in: keys).map { "did you mean \"\($0)\"?" }
                let list = "known are " + keys.map { "\"\($0)\"" }.joined(separator: ", ") + "."
                reader.report(
                    pointer.appending(member.name), "unknown_key",
                    "There is no key \"\(member.name)\" here; \(hint ?? list)")
            }
        }
        var endpoint = base ?? Endpoint(id: "", url: "", secrets: [], createdAt: .distantPast)
        if let text = reader.text(members, "id") {
            if text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }) {
                endpoint.id = text
            } else {
                reader.report(
                    pointer.appending("id"), "invalid_value",
                    "An id has only letters, digits, \"-\" and \"_\": it stands in paths and in signatures.")
            }
        }
        if let url = reader.text(members, "url", limit: 2048) { endpoint.url = url }
        let formerKind = endpoint.kind
        readPeople(members, of: &endpoint, &reader)
        if endpoint.kind != formerKind { endpoint.destination = Endpoint.Destination() }
        readDestination(members, of: &endpoint, &reader)
        if endpoint.url.isEmpty, members["url"] == nil {
            reader.report(pointer.appending("url"), "missing_url", endpoint.kind.missingURL)
        }
        if let secret = reader.text(members, "secret") {
            if secret.hasPrefix("whsec_") || secret.hasPrefix("whsk_") {
                endpoint.secrets = [Endpoint.Secret(secret)]
            } else {
                reader.report(
                    pointer.appending("secret"), "invalid_value",
                    "A secret is \"whsec_\" and the base64 of 24 to 64 random bytes; leave it out to have one made.")
            }
        }
        if members["description"]?.isNull == true {
            endpoint.description = nil
        } else if let text = reader.text(members, "description") {
            endpoint.description = text
        }
        if let texts = reader.texts(members, "events") {
            endpoint.events = texts.map(GlobPattern.init)
            for (index, text) in texts.enumerated() {
                guard let problem = EventTypeFilter.problem(with: text) else { continue }
                reader.report(pointer.appending("events").appending(index), "invalid_value", "Here \(problem)")
            }
        }
        if let texts = reader.texts(members, "regions") { endpoint.regions = texts.map(GlobPattern.init) }
        if let texts = reader.texts(members, "devices") { endpoint.devices = texts.map(GlobPattern.init) }
        if let texts = reader.texts(members, "apps") { endpoint.apps = texts }
        if let texts = reader.texts(members, "when") {
            endpoint.when = []
            for (index, text) in texts.enumerated() {
                if let outcome = Endpoint.Outcome(rawValue: text) {
                    endpoint.when.append(outcome)
                } else {
                    let known = Endpoint.Outcome.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                    reader.report(
                        pointer.appending("when").appending(index), "invalid_value", "This has to be one of \(known).")
                }
            }
        }
        if let isOrdered = reader.bool(members, "ordered") { endpoint.isOrdered = isOrdered }
        if let includes = reader.bool(members, "includeLocation") { endpoint.includesLocation = includes }
        if let history = reader.bool(members, "history") { endpoint.history = history }
        if let corrections = reader.bool(members, "corrections") { endpoint.corrections = corrections }
        if let element = members["maximumAge"] { endpoint.maximumAge = reader.age(element) }
        if let text = reader.text(members, "format") {
            if let format = Endpoint.Format(rawValue: text) {
                endpoint.format = format
            } else {
                let known = Endpoint.Format.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                reader.report(pointer.appending("format"), "invalid_value", "This has to be one of \(known).")
            }
        }
        if let element = members["precision"] {
            if element.isNull {
                endpoint.precision = nil
            } else if let decimals = element.double.flatMap(Int.init(exactly:)), (0...7).contains(decimals) {
                endpoint.precision = decimals
            } else {
                reader.report(
                    pointer.appending("precision"), "invalid_value",
                    "This has to be a number of decimals from 0 to 7, or null for all.")
            }
        }
        readBatchSize(members["batchSize"], of: &endpoint, &reader)
        if let current = base ?? current { endpoint.keepSecrets(of: current, given: Set(members.keys)) }
        if reader.diagnostics.isEmpty { checkKind(of: endpoint, members, &reader) }
        guard reader.diagnostics.isEmpty else { return (nil, reader.diagnostics) }
        var writer = JSONWriter()
        writer.value(element)
        var identity = Identity()
        identity.add(String(decoding: writer.bytes, as: UTF8.self))
        // The object is the same when the service's zone changes, and what it means is not.
        if reader.hasUsedZone, let zone { identity.add(zone.identifier) }
        return (Draft(endpoint: endpoint, hash: identity.text(prefix: "")), [])
    }

    private static func readBatchSize(_ element: JSONElement?, of endpoint: inout Endpoint, _ reader: inout Reader) {
        let pointer = reader.pointer.appending("batchSize")
        if let element {
            let size = element.isNull ? 1 : element.double.flatMap(Int.init(exactly:)) ?? 0
            guard (1...largestBatch).contains(size) else {
                return reader.report(
                    pointer, "invalid_value", "This has to be a whole number from 1 to \(largestBatch), or null for 1.")
            }
            endpoint.batchSize = size
        }
        // Checked also where only the format has changed.
        if endpoint.batchSize > 1, endpoint.kind != .webhook || endpoint.format != .batch {
            reader.report(
                pointer, "invalid_value",
                "Only a webhook with the format \"batch\" has several events in a request: set \"format\" to \"batch\", "
                    + "or \"batchSize\" to 1.")
        }
    }

    /// Reads the members of one object and collects the problems.
    struct Reader {
        let file: String?
        let pointer: JSONPointer
        /// The service's zone; `nil` for that of the machine.
        var zone: TimeZone?
        /// Whether quiet hours have the service's zone.
        var hasUsedZone = false
        var diagnostics: [Diagnostic] = []

        mutating func report(_ pointer: JSONPointer, _ code: String, _ message: String) {
            diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(pointer.description), message))
        }

        mutating func text(_ members: [String: JSONElement], _ name: String, limit: Int = textLimit) -> String? {
            guard let element = members[name] else { return nil }
            if let text = element.string, !text.isEmpty, text.unicodeScalars.count <= limit { return text }
            report(pointer.appending(name), "invalid_value", "This has to be a text of 1 to \(limit) characters.")
            return nil
        }

        mutating func bool(_ members: [String: JSONElement], _ name: String) -> Bool? {
            guard let element = members[name] else { return nil }
            if element.bool == nil { report(pointer.appending(name), "invalid_value", "This has to be true or false.") }
            return element.bool
        }

        /// A number of seconds; `nil` for null.
        mutating func age(_ element: JSONElement) -> Duration? {
            if element.isNull { return nil }
            if let seconds = element.double, seconds > 0, seconds <= 1e10 {
                return .milliseconds(Int64(clamped: (seconds * 1000).rounded()))
            }
            report(
                pointer.appending("maximumAge"), "invalid_value",
                "This has to be a number of seconds above 0 and at most 10000000000, or null for no limit.")
            return nil
        }

        mutating func texts(_ members: [String: JSONElement], _ name: String) -> [String]? {
            guard let element = members[name] else { return nil }
            if element.isNull { return [] }
            guard let array = element.array, array.count <= textLimit else {
                report(
                    pointer.appending(name), "invalid_value",
                    "This has to be an array of at most \(textLimit) texts.")
                return nil
            }
            var texts: [String] = []
            for (index, item) in array.enumerated() {
                if let text = item.string, !text.isEmpty, text.unicodeScalars.count <= textLimit {
                    texts.append(text)
                } else {
                    report(
                        pointer.appending(name).appending(index), "invalid_value",
                        "This has to be a text of 1 to \(textLimit) characters.")
                }
            }
            return texts
        }
    }
}

extension JSONWriter {
    /// Writes an endpoint for the API, with `state`, and with the secret only if one is passed.
    public mutating func value(_ endpoint: Endpoint, secret: String? = nil) {
        beginObject()
        text("id", endpoint.id)
        text("kind", endpoint.kind.rawValue)
        text("url", endpoint.shownURL)
        if let secret { text("secret", secret) }
        if let description = endpoint.description { text("description", description) }
        list("events", endpoint.events.map(\.rawValue))
        list("regions", endpoint.regions.map(\.rawValue))
        list("devices", endpoint.devices.map(\.rawValue))
        list("apps", endpoint.apps)
        list("when", endpoint.when.map(\.rawValue))
        name("ordered")
        value(endpoint.isOrdered)
        text("format", endpoint.format.rawValue)
        if endpoint.format == .batch {
            name("batchSize")
            value(endpoint.batchSize)
        }
        if let precision = endpoint.precision {
            name("precision")
            value(precision)
        }
        name("includeLocation")
        value(endpoint.includesLocation)
        name("history")
        value(endpoint.history)
        name("corrections")
        value(endpoint.corrections)
        name("maximumAge")
        if let age = endpoint.maximumAge { value(age.seconds) } else { null() }
        writePeople(of: endpoint)
        writeDestination(of: endpoint)
        switch endpoint.state {
        case .active: text("state", "active")
        case .disabled(let since, let reason):
            text("state", "disabled")
            name("disabledAt")
            asciiString { since.appendRFC3339(to: &$0) }
            text("disabledBecause", reason)
        }
        if endpoint.createdAt > .distantPast {
            name("createdAt")
            asciiString { endpoint.createdAt.appendRFC3339(to: &$0) }
        }
        endObject()
    }

    mutating func text(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    mutating func list(_ name: String, _ texts: [String]) {
        self.name(name)
        beginArray()
        for text in texts { value(text) }
        endArray()
    }
}

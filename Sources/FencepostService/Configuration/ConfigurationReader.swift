import FencepostJSON
public import FencepostModel
import Foundation

/// Reads configuration in layers, each overriding the one before. It reports all problems and keeps the valid values.
public struct ConfigurationReader {
    /// The result of the layers so far. A key with a problem keeps its default.
    public private(set) var configuration = Configuration()
    /// All problems of the layers so far.
    public private(set) var diagnostics: [Diagnostic] = []
    /// The layer of each key that is set, by JSON Pointer.
    public private(set) var origins: [String: String] = [:]

    /// The zone of a layer above the files, which what they leave out follows too; `nil` for none.
    private var zoneAbove: TimeZone?

    /// A reader with the defaults.
    public init() {}

    /// A reader with the defaults for files that the environment is read over.
    ///
    /// - Parameters:
    ///   - environment: all variables. The files' rules and quiet hours without a zone have that of the environment.
    ///   - file: reads the file that `FENCEPOST_…_FILE` names; `nil` when it cannot be read.
    public init(below environment: [String: String], file: (String) -> String?) {
        let variable = ConfigurationKey.all.first { $0.pointer == "/timeZone" }?.variable ?? ""
        var reader = ConfigurationReader()
        reader.read(environment: environment.filter { [variable, variable + "_FILE"].contains($0.key) }, file: file)
        zoneAbove = reader.configuration.timeZone
    }

    /// The zone of rules and quiet hours that name none; `nil` for none.
    private var zone: TimeZone? { zoneAbove ?? configuration.timeZone }

    /// Reads a configuration file over the defaults.
    ///
    /// - Parameters:
    ///   - bytes: the file, JSON in UTF-8.
    ///   - file: its path. Paths inside the file are relative to its folder.
    /// - Returns: the configuration, with defaults for keys with a problem; and all problems.
    public static func read(_ bytes: some Collection<UInt8>, file: String) -> (Configuration, [Diagnostic]) {
        var reader = ConfigurationReader()
        reader.read(bytes, file: file)
        return (reader.configuration, reader.diagnostics)
    }

    /// The keys of the outermost object.
    public static var keys: [String] { members(of: "") }

    /// The keys with different values that a running service applies only after a restart.
    public static func needingRestart(from old: Configuration, to new: Configuration) -> [String] {
        func text(_ key: ConfigurationKey, _ configuration: Configuration) -> [UInt8] {
            var writer = JSONWriter()
            key.write(configuration, &writer)
            return writer.bytes
        }
        return ConfigurationKey.all.filter { $0.needsRestart && text($0, old) != text($0, new) }.map(\.pointer)
    }

    /// Every key with its value as JSON and its layer. Secrets are masked.
    public func shown() -> [(pointer: String, value: String, origin: String)] {
        var shown: [(pointer: String, value: String, origin: String)] = []
        for key in ConfigurationKey.all {
            var writer = JSONWriter()
            key.write(configuration, &writer)
            var value = String(decoding: writer.bytes, as: UTF8.self)
            if key.isSecret, value != "null" { value = "\"********\"" }
            shown.append((key.pointer, value, origins[key.pointer] ?? "default"))
        }
        for (index, draft) in configuration.endpoints.enumerated() {
            var writer = JSONWriter()
            writer.value(draft.endpoint, secret: draft.endpoint.secrets.isEmpty ? nil : "********")
            shown.append(
                (
                    "/endpoints/\(index)", String(decoding: writer.bytes, as: UTF8.self),
                    origins["/endpoints"] ?? "default"
                ))
        }
        return shown
    }

    /// Sets the path of the database, where the configuration only says the folder that it is in.
    public mutating func setDatabase(_ path: String) { configuration.storage.path = path }

    /// Reads a configuration file as the next layer.
    public mutating func read(_ bytes: some Collection<UInt8>, file: String) {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            let position = Diagnostic.Position.position(line: error.line, column: error.column)
            diagnostics.append(Diagnostic(code: "invalid_json", file: file, at: position, error.message))
            return
        }
        let layer = Layer(file: file, folder: file.lastIndex(of: "/").map { String(file[...$0]) } ?? "")
        for pointer in document.duplicateNames() {
            report(layer, "duplicate_name", pointer.description, "The same key is there twice; keep one of them.")
        }
        readSection(document.root, "", layer)
    }

    /// Reads variables such as `FENCEPOST_SERVER_PORT` as the next layer. Their values are JSON or plain text.
    ///
    /// - Parameters:
    ///   - environment: all variables. An unknown one that starts with `FENCEPOST_` is an error; others are ignored.
    ///   - file: reads the file that `FENCEPOST_…_FILE` names, for secrets; `nil` when it cannot be read.
    public mutating func read(environment: [String: String], file: (String) -> String?) {
        let keys = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.variable, $0) })
        // In the order of the table, since the first key of a section may be required by the others.
        var values = readOpenTelemetry(environment, keys.mapValues(\.pointer))
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("FENCEPOST_") {
            if keys[name] != nil {
                values[name] = (value, name)
            } else if name.hasSuffix("_FILE"), keys[String(name.dropLast(5))] != nil {
                guard let text = file(value) else {
                    diagnostics.append(
                        Diagnostic(
                            code: "unreadable_file", file: name, at: .file, "The file \(value) cannot be read."))
                    continue
                }
                let trimmed = text.last == "\n" ? String(text.dropLast()) : text
                values[String(name.dropLast(5))] = (trimmed, name)
            } else if !ConfigurationReader.otherVariables.contains(name) {
                let hint = nearest(to: name, in: Array(keys.keys)).map { "; did you mean \($0)?" } ?? "."
                diagnostics.append(
                    Diagnostic(code: "unknown_key", file: name, at: .file, "There is no such setting\(hint)"))
            }
        }
        for key in ConfigurationKey.all {
            guard let (text, name) = values[key.variable] else { continue }
            set(key, text: text, origin: name)
        }
    }

    /// The variables of OpenTelemetry, by those of Fencepost that replace them. As it defines, an empty one is not set.
    private mutating func readOpenTelemetry(
        _ environment: [String: String], _ pointers: [String: String]
    ) -> [String: (text: String, name: String)] {
        let names = Dictionary(uniqueKeysWithValues: pointers.map { ($0.value, $0.key) })
        var values: [String: (text: String, name: String)] = [:]
        for variable in OpenTelemetryVariable.allCases {
            guard let text = environment[variable.rawValue], !text.isEmpty, let name = names[variable.pointer] else {
                continue
            }
            values[name] = (variable.value(text), variable.rawValue)
        }
        let hasEndpoint = names["/tracing/endpoint"].flatMap { values[$0] } != nil
        if hasEndpoint, let problem = OpenTelemetryVariable.problem(in: environment) {
            diagnostics.append(
                Diagnostic(code: "invalid_value", file: problem.name, at: .file, problem.sentence))
        }
        return values
    }

    /// Variables that are not configuration keys.
    private static let otherVariables: Set<String> = [
        "FENCEPOST_REWRITE", "FENCEPOST_FUZZ", "FENCEPOST_CRASH_AT", "FENCEPOST_CLOCK_OFFSET", "FENCEPOST_TOKEN",
        "FENCEPOST_CONFIG", "FENCEPOST_NEXT_SCHEMA",
    ]

    /// Sets one key, as a flag does.
    ///
    /// - Parameters:
    ///   - pointer: the JSON Pointer of the key.
    ///   - text: JSON or plain text.
    ///   - origin: the name of the flag, for diagnostics.
    /// - Precondition: there is such a key.
    public mutating func set(_ pointer: String, _ text: String, origin: String) {
        guard let key = ConfigurationKey.all.first(where: { $0.pointer == pointer }) else {
            preconditionFailure("no key \(pointer)")
        }
        set(key, text: text, origin: origin)
    }

    private mutating func set(_ key: ConfigurationKey, text: String, origin: String) {
        let layer = Layer(file: origin, folder: "")
        // Text that is not JSON is a string, and so is a number for a key that expects a string.
        var quoted = JSONWriter()
        quoted.value(text)
        for bytes in [Array(text.utf8), quoted.bytes] {
            guard let document = try? JSONDocument(parsing: bytes) else { continue }
            var next = configuration
            if (try? key.read(ConfigurationKey.Value(element: document.root, folder: layer.folder, zone: zone), &next))
                != nil
            {
                configuration = next
                note(origin, of: key)
                return
            }
        }
        guard let document = try? JSONDocument(parsing: quoted.bytes) else { return }
        apply(key, document.root, layer)
    }

    /// Reads the members of `mqtt`, as a file has them.
    ///
    /// - Returns: the problems, with pointers into the object.
    mutating func readBroker(_ root: JSONElement) -> [Diagnostic] {
        let section = "/mqtt"
        readSection(root, section, Layer(file: "", folder: ""))
        return diagnostics.map { problem in
            var problem = problem
            problem.file = nil
            if case .pointer(let pointer) = problem.position {
                problem.position = .pointer(String(pointer.dropFirst(section.count)))
            }
            return problem
        }
    }

    private struct Layer {
        let file: String
        let folder: String
    }

    /// The names of the keys in a section.
    private static func members(of section: String) -> [String] {
        var names: [String] = []
        for pointer in ConfigurationKey.all.map(\.pointer) + ["/endpoints"] where pointer.hasPrefix(section + "/") {
            let name = String(pointer.dropFirst(section.count + 1).prefix { $0 != "/" })
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private mutating func readSection(_ element: JSONElement, _ section: String, _ layer: Layer) {
        guard let object = element.object else {
            return report(layer, "invalid_value", section, "This has to be an object.")
        }
        let known = Self.members(of: section)
        var members: [String: JSONElement] = [:]
        for member in object {
            if known.contains(member.name) {
                members[member.name] = member.value
            } else {
                let name = member.name
                let hint = nearest(to: name, in: known).map { "did you mean \"\($0)\"?" }
                let list = "known are " + known.map { "\"\($0)\"" }.joined(separator: ", ") + "."
                let pointer = section.split(separator: "/").reduce(JSONPointer()) { $0.appending(String($1)) }
                    .appending(name)
                report(
                    layer, "unknown_key", pointer.description,
                    "There is no key \"\(name)\" here; \(hint ?? list)")
            }
        }
        // In the order of the table, since the first key of a section may be required by the others.
        for name in known {
            guard let value = members[name] else { continue }
            let pointer = section + "/" + name
            if pointer == "/endpoints" {
                readEndpoints(value, layer)
            } else if let key = ConfigurationKey.all.first(where: { $0.pointer == pointer }) {
                apply(key, value, layer)
            } else {
                readSection(value, pointer, layer)
            }
        }
        if section == "/mqtt" && configuration.mqtt == nil
            || section == "/mqtt/publishTo" && configuration.publishBroker == nil,
            members["host"] == nil
        {
            report(layer, "missing_key", section + "/host", "This has to say where the broker is.")
        }
        if section == "/geocoder", configuration.geocoder == nil, members["url"] == nil {
            report(
                layer, "missing_key", "/geocoder/url",
                "This has to be the address of the geocoder, such as https://nominatim.openstreetmap.org.")
        }
        if section == "/tracing", configuration.tracing == nil, members["endpoint"] == nil {
            report(
                layer, "missing_key", "/tracing/endpoint",
                "This has to be the receiver's address, such as http://localhost:4318/v1/traces.")
        }
        if section == "/oidc" { checkProvider(members, layer) }
    }

    /// Reports what a provider cannot be without.
    private mutating func checkProvider(_ members: [String: JSONElement], _ layer: Layer) {
        if configuration.provider == nil, members["issuer"] == nil {
            report(
                layer, "missing_key", "/oidc/issuer",
                "This has to be the address of the provider, such as https://auth.example.org.")
        }
    }

    private mutating func apply(_ key: ConfigurationKey, _ element: JSONElement, _ layer: Layer) {
        do {
            try key.read(ConfigurationKey.Value(element: element, folder: layer.folder, zone: zone), &configuration)
            note(layer.file, of: key)
        } catch {
            let mismatch = error as? ConfigurationKey.Mismatch
            let pointer = key.pointer + (mismatch?.index.map { "/\($0)" } ?? "")
            report(layer, "invalid_value", pointer, "This has to be \(mismatch?.wanted ?? "something else").")
        }
    }

    /// Notes which layer has set a key.
    private mutating func note(_ origin: String, of key: ConfigurationKey) {
        origins[key.pointer] = origin
        if let kind = RuleKind.allCases.first(where: { $0.pointer == key.pointer }) {
            configuration.ruleOrigins[kind] = origin
        }
        if key.pointer == "/mqtt/host" { configuration.brokerOrigin = origin }
    }

    private mutating func readEndpoints(_ element: JSONElement, _ layer: Layer) {
        guard let array = element.array else {
            return report(layer, "invalid_value", "/endpoints", "This has to be an array of endpoints.")
        }
        guard array.count <= EndpointFile.maximumEndpoints else {
            return report(
                layer, "too_many_endpoints", "/endpoints",
                "There may be at most \(EndpointFile.maximumEndpoints) endpoints, but there are \(array.count): remove "
                    + "some, or let one receiver distribute the events.")
        }
        configuration.endpoints = []
        origins["/endpoints"] = layer.file
        var seen: Set<String> = []
        for (index, item) in array.enumerated() {
            let pointer = JSONPointer().appending("endpoints").appending(index)
            let (draft, problems) = EndpointFile.read(item, at: pointer, file: layer.file, zone: zone)
            diagnostics += problems
            guard let draft else { continue }
            if seen.insert(draft.endpoint.id).inserted {
                configuration.endpoints.append(draft)
            } else {
                report(
                    layer, "duplicate_id", pointer.appending("id").description,
                    "The id \"\(draft.endpoint.id)\" is there twice; give each endpoint an id of its own.")
            }
        }
    }

    private mutating func report(_ layer: Layer, _ code: String, _ pointer: String, _ message: String) {
        diagnostics.append(Diagnostic(code: code, file: layer.file, at: .pointer(pointer), message))
    }
}

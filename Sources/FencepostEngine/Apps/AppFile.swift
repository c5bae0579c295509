import FencepostJSON
public import FencepostModel
public import FencepostSimulator

/// A simulated app on some devices, as an app file defines it.
public struct App: Hashable, Sendable {
    /// The app's id.
    public var id: String
    /// A name for people.
    public var name: String?
    /// The initial state: permission, life cycle, platform.
    public var initialState: DeviceState
    /// Patterns of the ids of its devices; `nil` for every device.
    public var devices: [GlobPattern]?
    /// The services that it uses. A service of regions or conditions without an identifier stands for every region.
    public var services: [ServiceObject]

    /// An app on every device.
    public init(id: String, initialState: DeviceState, services: [ServiceObject]) {
        self.id = id
        self.initialState = initialState
        self.services = services
    }

    /// Whether the app is on a device.
    public func isOn(_ device: DeviceID) -> Bool {
        devices.map { $0.contains { $0.matches(device.rawValue) } } ?? true
    }

    /// The app in its initial state.
    func simulation(gate: RelaunchGate) -> CoreLocationSimulation {
        var initialState = initialState
        // Services that stand for every region are registered per region, with the first event of the region.
        initialState.services = services.filter {
            $0.identifier != nil || !($0.service.isRegion || $0.service.isCondition)
        }
        return CoreLocationSimulation(initialState, gate: gate)
    }
}

/// Reads app files: `{"id":…,"name":…,"given":{…},"devices":[…],"services":[…]}`, or an array of these.
public enum AppFile {
    static let keys = ["id", "name", "given", "devices", "services"]
    /// Largest number of apps: each event contains the decision of every app on its device (rule L6).
    public static let maximumApps = 128
    /// Largest number of characters in an id, a name and a pattern.
    static let maximumText = 256
    /// Largest number of patterns in `devices`.
    static let maximumPatterns = 256
    /// Largest number of services of one app.
    static let maximumServices = 64

    /// The problem with more apps than rule L6 allows.
    package static func problem(withNumberOfApps count: Int) -> Diagnostic? {
        guard count > maximumApps else { return nil }
        return Diagnostic(
            code: "too_many_apps", at: .pointer("/apps"),
            "There may be at most \(maximumApps) apps, but the files have \(count): put more devices into the "
                + "patterns of one app.")
    }

    /// Reads an app file.
    ///
    /// - Parameters:
    ///   - bytes: JSON.
    ///   - file: the name in diagnostics.
    ///   - isStored: whether the apps come from the storage. An earlier version may have accepted them without the
    ///     limits of rule L6, so these do not apply.
    /// - Returns: the apps without an error, and all diagnostics.
    public static func read(
        _ bytes: some Collection<UInt8>, file: String, isStored: Bool = false
    ) -> ([App], [Diagnostic]) {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            let position = Diagnostic.Position.position(line: error.line, column: error.column)
            return ([], [Diagnostic(code: "invalid_json", file: file, at: position, error.message)])
        }
        var reader = Reader(file: file, isStored: isStored)
        for pointer in document.duplicateNames() {
            reader.report("duplicate_name", pointer, "The key occurs twice; keep one of them.")
        }
        if let array = document.root.array {
            for (index, element) in array.enumerated() { reader.read(element, at: JSONPointer().appending(index)) }
        } else {
            reader.read(document.root, at: JSONPointer())
        }
        return (reader.apps, reader.diagnostics)
    }

    /// Reads an app file, and returns each app as the JSON object that defines it.
    ///
    /// - Returns: the apps, none if the file has an error; and all diagnostics.
    public static func readForStorage(
        _ bytes: some Collection<UInt8>, file: String
    ) -> ([StoredApp], [Diagnostic]) {
        let (apps, diagnostics) = read(bytes, file: file)
        guard !diagnostics.contains(where: { $0.severity == .error }),
            let root = try? JSONDocument(parsing: bytes).root
        else { return ([], diagnostics) }
        let elements = root.array.map(Array.init) ?? [root]
        return (
            zip(apps, elements).map { app, element in
                var writer = JSONWriter()
                writer.value(element)
                return StoredApp(id: app.id, definition: String(decoding: writer.bytes, as: UTF8.self))
            }, diagnostics
        )
    }

    private struct Reader {
        let file: String
        let isStored: Bool
        var apps: [App] = []
        var diagnostics: [Diagnostic] = []

        mutating func report(_ code: String, _ pointer: JSONPointer, _ message: String) {
            diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(pointer.description), message))
        }

        private mutating func check(_ count: Int, atMost limit: Int, _ what: String, at pointer: JSONPointer) {
            guard count > limit, !isStored else { return }
            report(
                "too_many_values", pointer,
                "An app may have at most \(limit) \(what), but this one has \(count): remove some.")
        }

        private mutating func checkLength(_ text: String, _ name: String, at pointer: JSONPointer) {
            guard text.unicodeScalars.count > AppFile.maximumText, !isStored else { return }
            report(
                "text_too_long", pointer.appending(name),
                "The \(name) of an app may have at most \(AppFile.maximumText) characters, but this one has "
                    + "\(text.unicodeScalars.count): shorten it.")
        }

        mutating func read(_ element: JSONElement, at pointer: JSONPointer) {
            guard let object = element.object else {
                return report("invalid_value", pointer, "An app must be an object.")
            }
            for member in object where !AppFile.keys.contains(member.name) {
                let hint = nearest(to: member.name, in: AppFile.keys).map { "did you mean \"\($0)\"?" }
                let list = "known are " + AppFile.keys.map { "\"\($0)\"" }.joined(separator: ", ") + "."
                report(
                    "unknown_key", pointer.appending(member.name),
                    "There is no key \"\(member.name)\" here; \(hint ?? list)")
            }
            guard let id = element["id"]?.string, !id.isEmpty else {
                return report("missing_id", pointer.appending("id"), "An app needs an \"id\", a non-empty text.")
            }
            checkLength(id, "id", at: pointer)
            let scenarios = ScenarioReader(file: file)
            var initialState = DeviceState()
            if let state = element["given"] {
                let (read, problems) = scenarios.device(state, at: pointer.appending("given"))
                initialState = read
                diagnostics += problems
            }
            var app = App(id: id, initialState: initialState, services: initialState.services)
            if let name = element["name"]?.string {
                app.name = name
                checkLength(name, "name", at: pointer)
            } else if element["name"] != nil, !isStored {
                report("invalid_value", pointer.appending("name"), "The name of an app must be a text.")
            }
            if let devices = element["devices"] { app.devices = patterns(devices, at: pointer.appending("devices")) }
            if let services = element["services"] {
                app.services += objects(services, at: pointer.appending("services"), scenarios)
            }
            check(app.services.count, atMost: AppFile.maximumServices, "services", at: pointer.appending("services"))
            if app.services.isEmpty {
                report(
                    "no_services", pointer.appending("services"),
                    "The app uses no service, so no event concerns it; name one, such as {\"service\":\"visits\"}.")
            }
            apps.append(app)
        }

        private mutating func patterns(_ element: JSONElement, at pointer: JSONPointer) -> [GlobPattern] {
            if let text = element.string { return [GlobPattern(text)] }
            let texts = element.array?.map(\.string) ?? [nil]
            check(texts.count, atMost: AppFile.maximumPatterns, "patterns", at: pointer)
            for (index, text) in texts.enumerated()
            where text?.unicodeScalars.count ?? 0 > AppFile.maximumText && !isStored {
                report(
                    "text_too_long", pointer.appending(index),
                    "A pattern may have at most \(AppFile.maximumText) characters.")
            }
            for (index, text) in texts.enumerated() where text == nil {
                report(
                    "invalid_value", element.array == nil ? pointer : pointer.appending(index),
                    "This must be a pattern of device ids, such as \"jane/*\".")
            }
            return texts.compactMap { $0.map(GlobPattern.init) }
        }

        /// Services as objects, or by their bare names.
        private mutating func objects(
            _ element: JSONElement, at pointer: JSONPointer, _ scenarios: ScenarioReader
        ) -> [ServiceObject] {
            guard let array = element.array else {
                report("invalid_value", pointer, "This must be an array of services.")
                return []
            }
            var objects: [ServiceObject] = []
            for (index, item) in array.enumerated() {
                if let service = item.string.flatMap(Service.init(rawValue:)) {
                    objects.append(ServiceObject(service))
                } else {
                    let (object, problems) = scenarios.service(item, at: pointer.appending(index))
                    diagnostics += problems
                    if let object { objects.append(object) }
                }
            }
            return objects
        }
    }
}

public import FencepostJSON
public import FencepostModel

/// Reads scenario files and single questions: all that is wrong at once, and what can be used.
public struct ScenarioReader: Sendable {
    /// Reads the property list that a path names, relative to the file; `nil` when it cannot be read.
    private let propertyKeys: @Sendable (String) -> [String]?
    private let file: String?

    /// - Parameter file: the path as the user gave it; `nil` for standard input. Paths in the file are taken relative
    ///   to its folder.
    public init(file: String?) {
        self.file = file
        let folder = file.flatMap { $0.lastIndex(of: "/").map { index in String(file?[...index] ?? "") } } ?? ""
        propertyKeys = { PropertyListKeys.entries(ofFile: $0.hasPrefix("/") ? $0 : folder + $0) }
    }

    /// Whether a file is an array of scenarios or one alone.
    public struct File: Hashable, Sendable {
        public var scenarios: [Scenario]
        public var isArray: Bool
    }

    public func scenarios(_ bytes: some Collection<UInt8>) -> (File?, [Diagnostic]) {
        var findings = Findings(file: file)
        guard let document = parse(bytes, &findings) else { return (nil, findings.diagnostics) }
        var scenarios: [Scenario] = []
        let isArray = document.root.array != nil
        if let array = document.root.array {
            for (index, element) in array.enumerated() {
                read(element, at: JSONPointer().appending(index), &findings).map { scenarios.append($0) }
            }
        } else if let scenario = read(document.root, at: JSONPointer(), &findings) {
            scenarios.append(scenario)
        }
        return (findings.hasErrors ? nil : File(scenarios: scenarios, isArray: isArray), findings.diagnostics)
    }

    /// A question: `{"given":{…},"event":{…}}`.
    ///
    /// Where `given` says nothing of services, the one that the event comes from counts as started.
    public func question(_ bytes: some Collection<UInt8>) -> ((Given, ServiceEvent)?, [Diagnostic]) {
        var findings = Findings(file: file)
        guard let document = parse(bytes, &findings) else { return (nil, findings.diagnostics) }
        let root = JSONPointer()
        guard let members = ObjectReader(document.root, at: root, known: ["given", "event"], &findings) else {
            return (nil, findings.diagnostics)
        }
        var given = members.element("given").map { self.given($0, at: members.place("given"), &findings) } ?? Given()
        guard let element = members.element("event"),
            let fields = ObjectReader(element, at: members.place("event"), known: EventReader.keys, &findings),
            let event = EventReader.read(fields, fields.time("at", &findings), &findings)
        else {
            if members.element("event") == nil { findings.report("missing_key", root, "The key \"event\" is missing.") }
            return (nil, findings.diagnostics)
        }
        if members.element("given")?["services"] == nil { given.assumeStarted(event) }
        return (findings.hasErrors ? nil : (given, event), findings.diagnostics)
    }

    /// The state of an app as an app file gives it.
    public func given(_ element: JSONElement, at pointer: JSONPointer) -> (Given, [Diagnostic]) {
        var findings = Findings(file: file)
        let given = given(element, at: pointer, &findings)
        return (given, findings.diagnostics)
    }

    /// A service object, as app files list them; `nil` when it names no service.
    public func service(_ element: JSONElement, at pointer: JSONPointer) -> (ServiceObject?, [Diagnostic]) {
        var findings = Findings(file: file)
        let object = GivenReader(propertyKeys: propertyKeys).service(element, at: pointer, &findings)
        return (object, findings.diagnostics)
    }

    /// One step, as the service takes it for a simulated app.
    public func step(_ element: JSONElement, at pointer: JSONPointer) -> (Step?, [Diagnostic]) {
        var findings = Findings(file: file)
        let step = StepReader(givenReader: GivenReader(propertyKeys: propertyKeys)).read(
            element, at: pointer, &findings)
        return (findings.hasErrors ? nil : step, findings.diagnostics)
    }

    private func parse(_ bytes: some Collection<UInt8>, _ findings: inout Findings) -> JSONDocument? {
        do throws(JSONSyntaxError) {
            let document = try JSONDocument(parsing: bytes)
            for pointer in document.duplicateNames() {
                findings.report("duplicate_name", pointer, "The same key is there twice; keep one of them.")
            }
            return document
        } catch {
            findings.reportSyntax(error)
            return nil
        }
    }

    private func given(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> Given {
        GivenReader(propertyKeys: propertyKeys).read(element, at: pointer, &findings)
    }

    private func read(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> Scenario? {
        let known = ["name", "given", "steps", "track", "regions", "expect", "description"]
        guard let members = ObjectReader(element, at: pointer, known: known, &findings) else { return nil }
        let given = members.element("given").map { self.given($0, at: members.place("given"), &findings) } ?? Given()
        var scenario = Scenario(name: members.text("name", &findings) ?? "", given: given, steps: [])
        scenario.track = members.text("track", &findings)
        scenario.regions = members.text("regions", &findings)
        let reader = StepReader(givenReader: GivenReader(propertyKeys: propertyKeys))
        if let steps = members.element("steps") {
            if let array = steps.array {
                for (index, step) in array.enumerated() {
                    reader.read(step, at: members.place("steps").appending(index), &findings)
                        .map { scenario.steps.append($0) }
                }
            } else {
                findings.wants("an array of steps", at: members.place("steps"))
            }
        }
        if let expected = members.element("expect") {
            if expected.object == nil {
                findings.wants("an object", at: members.place("expect"))
            } else {
                scenario.expectation = Expectation(expected)
            }
        }
        return scenario
    }
}

extension Findings {
    fileprivate mutating func reportSyntax(_ error: JSONSyntaxError) {
        add(
            Diagnostic(
                code: "invalid_json", file: file, at: .position(line: error.line, column: error.column),
                error.message))
    }
}

extension Given {
    /// Takes the service that an event comes from as started, where a description leaves services out.
    public mutating func assumeStarted(_ event: ServiceEvent) {
        guard event.service != .locationNotification else { return }
        services.append(ServiceObject(event.service, identifier: event.identifier))
    }
}

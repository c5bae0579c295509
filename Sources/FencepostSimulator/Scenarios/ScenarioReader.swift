public import FencepostJSON
public import FencepostModel

/// Reads scenario files, questions, app states and steps. It reports all errors of a file at once.
public struct ScenarioReader: Sendable {
    /// Reads the entries of a key from a path relative to the file; `nil` when it cannot be read.
    private let propertyKeys: @Sendable (_ key: String, _ path: String) -> [String]?
    private let file: String?

    /// Makes a reader.
    ///
    /// - Parameter file: the path as the user gave it; `nil` for standard input. Paths in the file are relative to its
    ///   folder.
    public init(file: String?) {
        self.file = file
        let folder = file.flatMap { $0.lastIndex(of: "/").map { index in String(file?[...index] ?? "") } } ?? ""
        propertyKeys = { _, path in PropertyListKeys.entries(ofFile: path.hasPrefix("/") ? path : folder + path) }
    }

    /// Makes a reader that also takes apps, archives and projects where a file names a property list.
    ///
    /// - Parameters:
    ///   - file: the path as the user gave it; `nil` for standard input. Paths in the file are relative to its folder.
    ///   - propertyKeys: reads the entries of `infoPlist` or `entitlements` at a path; `nil` when it cannot be read.
    public init(file: String?, propertyKeys: @escaping @Sendable (_ key: String, _ path: String) -> [String]?) {
        self.file = file
        let folder = file.flatMap { $0.lastIndex(of: "/").map { index in String(file?[...index] ?? "") } } ?? ""
        self.propertyKeys = { key, path in propertyKeys(key, path.hasPrefix("/") ? path : folder + path) }
    }

    /// The scenarios of a file.
    public struct File: Hashable, Sendable {
        /// The scenarios, in order.
        public var scenarios: [Scenario]
        /// Whether the file is an array of scenarios rather than one scenario.
        public var isArray: Bool
    }

    /// Reads a file with one scenario or an array of scenarios.
    ///
    /// - Returns: the file, `nil` if it has errors, and all diagnostics.
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

    /// Reads a question: `{"given":{…},"event":{…}}`.
    ///
    /// If `given` has no `services`, the service of the event counts as started.
    ///
    /// - Returns: the state and the event, `nil` if there are errors, and all diagnostics.
    public func question(_ bytes: some Collection<UInt8>) -> ((DeviceState, ServiceEvent)?, [Diagnostic]) {
        var findings = Findings(file: file)
        guard let document = parse(bytes, &findings) else { return (nil, findings.diagnostics) }
        let root = JSONPointer()
        guard let members = ObjectReader(document.root, at: root, known: ["given", "event"], &findings) else {
            return (nil, findings.diagnostics)
        }
        var device =
            members.element("given").map { self.device($0, at: members.pointer("given"), &findings) } ?? DeviceState()
        checkPlausibility(of: device, at: members.pointer("given"), &findings)
        guard let element = members.element("event"),
            let fields = ObjectReader(element, at: members.pointer("event"), known: EventReader.keys, &findings),
            let event = EventReader.read(fields, fields.time("at", &findings), &findings)
        else {
            if members.element("event") == nil { findings.report("missing_key", root, "The key \"event\" is missing.") }
            return (nil, findings.diagnostics)
        }
        if members.element("given")?["services"] == nil { device.assumeStarted(event) }
        return (findings.hasErrors ? nil : (device, event), findings.diagnostics)
    }

    /// Reads the state of a device and an app, as an app file contains it.
    public func device(_ element: JSONElement, at pointer: JSONPointer) -> (DeviceState, [Diagnostic]) {
        var findings = Findings(file: file)
        let device = device(element, at: pointer, &findings)
        return (device, findings.diagnostics)
    }

    /// Reads a service object of an app file; `nil` when it names no service.
    public func service(_ element: JSONElement, at pointer: JSONPointer) -> (ServiceObject?, [Diagnostic]) {
        var findings = Findings(file: file)
        let object = DeviceStateReader(propertyKeys: propertyKeys).service(element, at: pointer, &findings)
        return (object, findings.diagnostics)
    }

    /// Reads one step, as the API takes it for a simulated app.
    public func step(_ element: JSONElement, at pointer: JSONPointer) -> (Step?, [Diagnostic]) {
        var findings = Findings(file: file)
        let step = StepReader(deviceReader: DeviceStateReader(propertyKeys: propertyKeys)).read(
            element, at: pointer, &findings)
        return (findings.hasErrors ? nil : step, findings.diagnostics)
    }

    /// Reports a version that no platform had, and warns of a state in which no device ever is.
    private func checkPlausibility(of device: DeviceState, at pointer: JSONPointer, _ findings: inout Findings) {
        check(device.system, at: pointer.appending("osVersion"), &findings)
        if let impossibility = device.impossibility {
            findings.add(
                Diagnostic(
                    .warning, code: "impossible_state", file: file, at: .pointer(pointer.description),
                    "\(impossibility.text) The answers are hypothetical."))
        }
        if device.terminatedBy != nil, device.lifecycle != .terminated {
            findings.add(
                Diagnostic(
                    .warning, code: "impossible_state", file: file,
                    at: .pointer(pointer.appending("terminatedBy").description),
                    "Only a terminated app has \"terminatedBy\"; it has no effect with the lifecycle "
                        + "\"\(device.lifecycle.rawValue)\"."))
        }
    }

    /// Reports a version that no platform had, and warns of one that another platform had.
    private func check(_ system: OperatingSystem, at pointer: JSONPointer, _ findings: inout Findings) {
        guard let problem = system.versionProblem else { return }
        findings.add(
            Diagnostic(
                problem.isFatal ? .error : .warning, code: "unknown_version", file: file,
                at: .pointer(pointer.description), problem.text))
    }

    /// Warns of a step whose time is before that of an earlier step. The clock does not go back.
    private func warn(
        ofTimeIn step: Step, before latest: inout Timestamp?, at pointer: JSONPointer, _ findings: inout Findings
    ) {
        guard let at = step.at else { return }
        if let latest, at < latest {
            findings.add(
                Diagnostic(
                    .warning, code: "time_goes_back", file: file, at: .pointer(pointer.appending("at").description),
                    "This is before the time of an earlier step, \(latest.rfc3339). The clock does not go back, so the "
                        + "step happens at that time."))
        }
        latest = max(latest ?? at, at)
    }

    private func parse(_ bytes: some Collection<UInt8>, _ findings: inout Findings) -> JSONDocument? {
        do throws(JSONSyntaxError) {
            let document = try JSONDocument(parsing: bytes)
            for pointer in document.duplicateNames() {
                findings.report("duplicate_name", pointer, "The same key appears twice; keep one of them.")
            }
            return document
        } catch {
            findings.reportSyntax(error)
            return nil
        }
    }

    private func device(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> DeviceState {
        DeviceStateReader(propertyKeys: propertyKeys).read(element, at: pointer, &findings)
    }

    private func read(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> Scenario? {
        let known = ["name", "given", "steps", "track", "regions", "expect", "description", "recorded", "notes"]
        guard let members = ObjectReader(element, at: pointer, known: known, &findings) else { return nil }
        let device =
            members.element("given").map { self.device($0, at: members.pointer("given"), &findings) } ?? DeviceState()
        checkPlausibility(of: device, at: members.pointer("given"), &findings)
        var scenario = Scenario(name: members.text("name", &findings) ?? "", device: device, steps: [])
        scenario.track = members.text("track", &findings)
        scenario.regions = members.text("regions", &findings)
        let reader = StepReader(deviceReader: DeviceStateReader(propertyKeys: propertyKeys))
        if let steps = members.element("steps") {
            if let array = steps.array {
                var latest: Timestamp?
                for (index, element) in array.enumerated() {
                    let pointer = members.pointer("steps").appending(index)
                    guard let step = reader.read(element, at: pointer, &findings) else { continue }
                    scenario.steps.append(step)
                    if case .updateSystem(let version, _) = step.verb {
                        check(
                            OperatingSystem(device.platform, version), at: pointer.appending("osVersion"), &findings)
                    }
                    warn(ofTimeIn: step, before: &latest, at: pointer, &findings)
                }
            } else {
                findings.reportInvalid("an array of steps", at: members.pointer("steps"))
            }
        }
        scenario.recorded = members.element("recorded").flatMap {
            origin($0, at: members.pointer("recorded"), &findings)
        }
        if let expected = members.element("expect") {
            if expected.object == nil {
                findings.reportInvalid("an object", at: members.pointer("expect"))
            } else {
                scenario.expectation = Expectation(expected)
            }
        }
        return scenario
    }

    /// Reads where a recorded scenario comes from.
    private func origin(
        _ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings
    ) -> RecordingOrigin? {
        let known = ["kind", "device", "system", "date", "logs"]
        guard let members = ObjectReader(element, at: pointer, known: known, &findings) else { return nil }
        let kind = members.text("kind", &findings).flatMap { RecordingOrigin.Kind(rawValue: $0) }
        if kind == nil {
            findings.reportInvalid("\"device\", \"simulator\" or \"made\"", at: members.pointer("kind"))
        }
        var origin = RecordingOrigin(kind ?? .device)
        origin.device = members.text("device", &findings)
        origin.system = members.text("system", &findings)
        origin.date = members.text("date", &findings)
        origin.logs = members.strings("logs", &findings) ?? []
        return origin
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

extension DeviceState {
    /// Treats the service of an event as started, for a description without services.
    public mutating func assumeStarted(_ event: ServiceEvent) {
        guard event.service != .locationNotification else { return }
        services.append(ServiceObject(event.service, identifier: event.identifier))
    }
}

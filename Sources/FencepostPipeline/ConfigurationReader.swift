import FencepostJSON
public import FencepostModel
import FencepostMonitor

/// Reads a config file: all that is wrong with it at once, and what can be used of it.
public struct ConfigurationReader {
    private let file: String
    /// What relative paths in the file start from; empty for the working folder.
    private let folder: String
    private var diagnostics: [Diagnostic] = []
    private var configuration = Configuration()

    /// - Parameter file: the path as the user gave it; paths inside the file are taken relative to its folder.
    /// - Returns: the configuration with the default wherever the file is wrong, and every problem of the file.
    public static func read(_ bytes: some Collection<UInt8>, file: String) -> (Configuration, [Diagnostic]) {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            let place = Diagnostic.Place.position(line: error.line, column: error.column)
            return (Configuration(), [Diagnostic(code: "invalid_json", file: file, at: place, error.message)])
        }
        var reader = ConfigurationReader(file: file)
        reader.read(document)
        return (reader.configuration, reader.diagnostics)
    }

    private init(file: String) {
        self.file = file
        folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// The keys of the outermost object.
    public static var keys: [String] { sections[""] ?? [] }

    /// Every key that there is; those of the service are kept for it.
    private static let sections: [String: [String]] = [
        "": [
            "regions", "idProperty", "monitor", "visits", "apps", "endpoints", "webhooks", "server", "storage",
            "cluster",
        ],
        "/monitor": ["crossing", "reorderWindow", "staleAfter", "cushion", "cushionStay"],
        "/visits": ["enabled", "radius", "minimumStay", "maximumGap", "departureHold"],
        "/webhooks": ["allowHTTP", "allowedNetworks"],
        "/server": ["host", "port"],
        "/storage": ["path", "durability", "checkpoint"],
        "/cluster": ["url", "partitions"],
    ]

    private mutating func read(_ document: JSONDocument) {
        for pointer in document.duplicateNames() {
            report("duplicate_name", pointer, "The same key is there twice; keep one of them.")
        }
        guard let members = section(document.root, JSONPointer()) else { return }
        if let regions = members["regions"] { configuration.regions = paths(regions, "regions") }
        if let apps = members["apps"] { configuration.apps = paths(apps, "apps") }
        if let name = members["idProperty"] {
            configuration.idProperty = name.string
            if name.string == nil { reportType(JSONPointer().appending("idProperty"), "the name of a property") }
        }
        if let monitor = members["monitor"] { readMonitor(monitor) }
        if let visits = members["visits"] { readVisits(visits) }
        for name in ["webhooks", "server", "storage", "cluster"] {
            if let element = members[name] { _ = section(element, JSONPointer().appending(name)) }
        }
        if let endpoints = members["endpoints"], endpoints.array == nil {
            reportType(JSONPointer().appending("endpoints"), "an array of endpoints")
        }
    }

    private mutating func readMonitor(_ element: JSONElement) {
        let pointer = JSONPointer().appending("monitor")
        guard let members = section(element, pointer) else { return }
        if let crossing = members["crossing"] {
            if let mode = crossing.string.flatMap(CrossingMode.init(rawValue:)) {
                configuration.monitor.crossing = mode
            } else {
                let known = CrossingMode.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                reportType(pointer.appending("crossing"), "one of \(known)")
            }
        }
        if let span = seconds(members, "reorderWindow", pointer) { configuration.monitor.reorderWindow = span }
        if members["staleAfter"]?.isNull == true {
            configuration.monitor.staleAfter = nil
        } else if let span = seconds(members, "staleAfter", pointer) {
            configuration.monitor.staleAfter = span == .zero ? nil : span
        }
        if let meters = number(members, "cushion", pointer, in: 0...10_000, "metres") {
            configuration.monitor.cushion = meters
        }
        if let span = seconds(members, "cushionStay", pointer) { configuration.monitor.cushionStay = span }
    }

    private mutating func readVisits(_ element: JSONElement) {
        let pointer = JSONPointer().appending("visits")
        guard let members = section(element, pointer) else { return }
        var settings = VisitSettings()
        if let meters = number(members, "radius", pointer, in: 10...5000, "metres") { settings.radius = meters }
        if let span = seconds(members, "minimumStay", pointer) { settings.minimumStay = span }
        if let span = seconds(members, "maximumGap", pointer) { settings.maximumGap = span }
        if let span = seconds(members, "departureHold", pointer) { settings.departureHold = span }
        configuration.monitor.visits = settings
        if let enabled = members["enabled"] {
            guard let isEnabled = enabled.bool else { return reportType(pointer.appending("enabled"), "true or false") }
            if !isEnabled { configuration.monitor.visits = nil }
        }
    }

    /// The members of an object, after each that is not known was reported.
    private mutating func section(_ element: JSONElement, _ pointer: JSONPointer) -> [String: JSONElement]? {
        guard let object = element.object else {
            reportType(pointer, "an object")
            return nil
        }
        let known = Self.sections[pointer.description] ?? []
        var members: [String: JSONElement] = [:]
        for member in object {
            let name = member.name
            if known.contains(name) {
                members[name] = member.value
            } else {
                let hint = nearest(to: name, in: known).map { "did you mean \"\($0)\"?" }
                let list = "known are " + known.map { "\"\($0)\"" }.joined(separator: ", ") + "."
                report("unknown_key", pointer.appending(name), "There is no key \"\(name)\" here; \(hint ?? list)")
            }
        }
        return members
    }

    private mutating func paths(_ element: JSONElement, _ name: String) -> [String] {
        let pointer = JSONPointer().appending(name)
        if let path = element.string { return [resolve(path)] }
        guard let array = element.array else {
            reportType(pointer, "an array of paths and patterns")
            return []
        }
        var paths: [String] = []
        for (index, item) in array.enumerated() {
            if let path = item.string, !path.isEmpty {
                paths.append(resolve(path))
            } else {
                reportType(pointer.appending(index), "a path or a pattern")
            }
        }
        return paths
    }

    private func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : folder + path }

    private mutating func seconds(
        _ members: [String: JSONElement], _ name: String, _ section: JSONPointer
    ) -> Duration? {
        // Ten years: whatever is longer is meant in another unit.
        number(members, name, section, in: 0...315_360_000, "seconds").map {
            .milliseconds(Int64(($0 * 1000).rounded()))
        }
    }

    private mutating func number(
        _ members: [String: JSONElement], _ name: String, _ section: JSONPointer, in range: ClosedRange<Double>,
        _ unit: String
    ) -> Double? {
        guard let element = members[name] else { return nil }
        guard let value = element.double, range.contains(value) else {
            reportType(
                section.appending(name),
                "a number of \(unit) from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
            return nil
        }
        return value
    }

    private mutating func reportType(_ pointer: JSONPointer, _ wanted: String) {
        report("invalid_value", pointer, "This has to be \(wanted).")
    }

    private mutating func report(_ code: String, _ pointer: JSONPointer, _ message: String) {
        diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(pointer.description), message))
    }
}

import Dispatch
public import FencepostJSON
public import FencepostModel
import Synchronization

/// Reads region files: GeoJSON (RFC 7946), one Feature or a FeatureCollection. `docs/reference/regions.md` is the reference.
public enum RegionFile {
    /// The regions of a file with the diagnostics.
    public struct Reading: Sendable {
        /// The valid regions, in the order of the file; empty if the document violates RFC 7946.
        public var regions: [Region] = []
        /// For each region where the file has it: in GeoJSON the JSON Pointer to its feature.
        public var positions: [Diagnostic.Position] = []
        /// Errors and warnings, in the order of the file.
        public var diagnostics: [Diagnostic] = []

        /// A result, by default of a file without regions.
        public init(
            regions: [Region] = [], positions: [Diagnostic.Position] = [], diagnostics: [Diagnostic] = []
        ) {
            (self.regions, self.positions, self.diagnostics) = (regions, positions, diagnostics)
        }
    }

    /// Reads a file.
    ///
    /// A document that violates RFC 7946 gives no regions at all. An invalid region in a valid document is omitted, and
    /// the others are returned; the caller decides whether to use them.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, with or without a byte order mark.
    ///   - name: the name of the file in diagnostics.
    ///   - options: how to read it, with the limits of a region.
    /// - Returns: the valid regions, and a diagnostic for each problem.
    public static func read(
        _ bytes: some Collection<UInt8>, name: String? = nil, options: RegionOptions = RegionOptions()
    ) -> Reading {
        do throws(JSONSyntaxError) {
            return read(try JSONDocument(parsing: bytes).root, name: name, options: options)
        } catch {
            let position = Diagnostic.Position.position(line: error.line, column: error.column)
            let message =
                ForeignRegionFormat(bytes: bytes)?.message(file: name) ?? "This is not JSON: \(error.message)."
            return Reading(diagnostics: [Diagnostic(code: "invalid_json", file: name, at: position, message)])
        }
    }

    /// Reads a parsed Feature or FeatureCollection.
    ///
    /// - Parameters:
    ///   - element: the feature or the collection.
    ///   - pointer: the JSON Pointer of the element in its document, for diagnostics.
    ///   - name: the name of the file in diagnostics.
    ///   - options: how to read it, with the limits of a region.
    /// - Returns: the valid regions, and a diagnostic for each problem.
    public static func read(
        _ element: JSONElement, at pointer: String = "", name: String? = nil, options: RegionOptions = RegionOptions()
    ) -> Reading {
        var document = GeoJSONDocument(file: name)
        let features = document.features(of: element, at: pointer)
        if let id = options.id, features.count > 1 {
            return Reading(diagnostics: [
                Diagnostic(
                    code: "too_many_features", file: name, at: .pointer(pointer),
                    "Only one feature can be the region \"\(id)\", but there are \(features.count).")
            ])
        }
        // GEOS takes most of the time, so large documents use all cores.
        let chunk = max(64, min(4096, (features.count + 15) / 16))
        let count = (features.count + chunk - 1) / chunk
        let slices = Mutex([FeatureReader.Result?](repeating: nil, count: count))
        @Sendable func read(_ slice: Int) {
            var reader = FeatureReader(file: name, options: options)
            for feature in features[slice * chunk..<min((slice + 1) * chunk, features.count)] {
                reader.read(feature.element, at: feature.pointer)
            }
            let result = reader.result
            slices.withLock { $0[slice] = result }
        }
        if count > 1 {
            DispatchQueue.concurrentPerform(iterations: count, execute: read)
        } else if count == 1 {
            read(0)
        }
        var reading = Reading(diagnostics: document.violations)
        var isValid = document.isValid
        var derived: [Bool] = []
        for case let slice? in slices.withLock({ $0 }) {
            reading.regions += slice.regions
            reading.positions += slice.pointers.map { .pointer($0) }
            reading.diagnostics += slice.diagnostics
            derived += slice.derived
            isValid = isValid && slice.isValid
        }
        if isValid {
            reading.distinguish(derived)
            reading.removeDuplicateIDs(file: name)
        } else {
            (reading.regions, reading.positions) = ([], [])
        }
        reading.diagnostics.fold()
        return reading
    }
}

extension RegionFile.Reading {
    fileprivate mutating func removeDuplicateIDs(file: String?) {
        var first: [RegionID: Int] = [:]
        first.reserveCapacity(regions.count)
        var duplicates: Set<Int> = []
        for (index, region) in regions.enumerated() {
            guard let earlier = first[region.id] else {
                first[region.id] = index
                continue
            }
            duplicates.insert(index)
            diagnostics.append(
                Diagnostic(
                    code: "duplicate_id", file: file, at: positions[index],
                    "The id \"\(region.id)\" is also that of \(positions[earlier].words); "
                        + "give each region its own id."))
        }
        guard !duplicates.isEmpty else { return }
        regions = regions.indices.filter { !duplicates.contains($0) }.map { regions[$0] }
        positions = positions.indices.filter { !duplicates.contains($0) }.map { positions[$0] }
    }
}

extension RegionFile.Reading {
    /// Gives regions whose ids are made of equal names ids of their own: those of their shapes, whatever their order.
    fileprivate mutating func distinguish(_ derived: [Bool]) {
        guard derived.contains(true) else { return }
        var counts: [RegionID: Int] = [:]
        for region in regions { counts[region.id, default: 0] += 1 }
        for (index, isDerived) in derived.enumerated() where isDerived && counts[regions[index].id, default: 0] > 1 {
            regions[index].id = RegionID("\(regions[index].id)-\(DerivedID.mark(of: regions[index].shape))")
        }
    }
}

extension [Diagnostic] {
    /// Equal errors up to this number are listed one by one.
    private static var equalErrors: Int { 3 }

    /// Reports equal problems once, with their number: what is wrong is often wrong in every region. A few equal errors keep
    /// their positions.
    package mutating func fold() {
        var counts: [String: Int] = [:]
        for diagnostic in self { counts[diagnostic.message, default: 0] += 1 }
        guard counts.values.contains(where: { $0 > 1 }) else { return }
        var reported: Set<String> = []
        self = compactMap { diagnostic in
            let limit = diagnostic.severity == .warning ? 1 : Self.equalErrors
            guard let count = counts[diagnostic.message], count > limit else { return diagnostic }
            guard reported.insert(diagnostic.message).inserted else { return nil }
            var first = diagnostic
            first.message += " This applies to \(count) places; this is the first."
            return first
        }
    }
}

extension Diagnostic.Position {
    /// The position within a sentence.
    package var words: String {
        switch self {
        case .file: "the file"
        case .line(let line): "line \(line)"
        case .position(let line, let column): "line \(line), column \(column)"
        case .index(let index): "record \(index)"
        case .pointer(let pointer): pointer.isEmpty ? "the document" : pointer
        }
    }
}

import Dispatch
public import FencepostJSON
public import FencepostModel
import Synchronization

/// Reads region files: GeoJSON (RFC 7946), one Feature or a FeatureCollection; `docs/regions.md` is their reference.
public enum RegionFile {
    /// What a file says, and everything that is wrong with it.
    public struct Reading: Sendable {
        /// The regions that can be used, in the order of the file; none when the document as such is no GeoJSON.
        public var regions: [Region] = []
        /// For each of the regions the JSON Pointer to its feature.
        public var pointers: [String] = []
        /// Errors and warnings, in the order of the file.
        public var diagnostics: [Diagnostic] = []
    }

    /// Reads a whole file.
    ///
    /// A document that breaks RFC 7946 gives no region at all; a region that is invalid in a sound document is left
    /// out, and the others are there. Whether to go on with them is for the caller to decide.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, with or without a byte order mark.
    ///   - name: how diagnostics name the file.
    public static func read(
        _ bytes: some Collection<UInt8>, name: String? = nil, options: RegionOptions = RegionOptions()
    ) -> Reading {
        do throws(JSONSyntaxError) {
            return read(try JSONDocument(parsing: bytes).root, name: name, options: options)
        } catch {
            let place = Diagnostic.Place.position(line: error.line, column: error.column)
            return Reading(diagnostics: [
                Diagnostic(code: "invalid_json", file: name, at: place, "This is no JSON: \(error.message).")
            ])
        }
    }

    /// Reads a Feature or a FeatureCollection that has been parsed.
    ///
    /// - Parameter pointer: where the element is in its document, for the pointers of diagnostics.
    public static func read(
        _ element: JSONElement, at pointer: String = "", name: String? = nil, options: RegionOptions = RegionOptions()
    ) -> Reading {
        var document = GeoJSONDocument(file: name)
        let features = document.features(of: element, at: pointer)
        if let id = options.id, features.count > 1 {
            return Reading(diagnostics: [
                Diagnostic(
                    code: "too_many_features", file: name, at: .pointer(pointer),
                    "Only one feature can be the region \"\(id)\", and here are \(features.count).")
            ])
        }
        // GEOS takes most of the time: shared between the cores where there is enough to share.
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
        var reading = Reading(diagnostics: document.breaches)
        var isSound = document.breaches.isEmpty
        for case let slice? in slices.withLock({ $0 }) {
            reading.regions += slice.regions
            reading.pointers += slice.pointers
            reading.diagnostics += slice.diagnostics
            isSound = isSound && slice.isSound
        }
        if isSound {
            reading.dropRepeatedIDs(file: name)
        } else {
            (reading.regions, reading.pointers) = ([], [])
        }
        reading.diagnostics.mergeWarnings()
        return reading
    }
}

extension RegionFile.Reading {
    fileprivate mutating func dropRepeatedIDs(file: String?) {
        var first: [RegionID: Int] = [:]
        first.reserveCapacity(regions.count)
        var repeated: Set<Int> = []
        for (place, region) in regions.enumerated() {
            guard let earlier = first[region.id] else {
                first[region.id] = place
                continue
            }
            repeated.insert(place)
            diagnostics.append(
                Diagnostic(
                    code: "duplicate_id", file: file, at: .pointer(pointers[place]),
                    "The id \"\(region.id)\" is that of \(pointers[earlier].isEmpty ? "the document" : pointers[earlier]) "
                        + "as well; give each region an id of its own."))
        }
        guard !repeated.isEmpty else { return }
        regions = regions.indices.filter { !repeated.contains($0) }.map { regions[$0] }
        pointers = pointers.indices.filter { !repeated.contains($0) }.map { pointers[$0] }
    }
}

extension [Diagnostic] {
    /// Tells the same warning once, with how often it holds: a misspelt property is often misspelt in every region.
    fileprivate mutating func mergeWarnings() {
        var counts: [String: Int] = [:]
        for diagnostic in self where diagnostic.severity == .warning { counts[diagnostic.message, default: 0] += 1 }
        guard counts.values.contains(where: { $0 > 1 }) else { return }
        var told: Set<String> = []
        self = compactMap { diagnostic in
            guard diagnostic.severity == .warning, let count = counts[diagnostic.message], count > 1 else {
                return diagnostic
            }
            guard told.insert(diagnostic.message).inserted else { return nil }
            var first = diagnostic
            first.message += " So it is in \(count) places, of which this is the first."
            return first
        }
    }
}

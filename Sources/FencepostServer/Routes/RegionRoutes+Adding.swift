import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostRegionImport
import FencepostRegions
import FencepostService
import HTTPTypes
import Synchronization

/// The route that adds regions, in any format that is read (rule A15).
extension API {
    private static let lineTypes = ["application/x-ndjson", "application/ndjson", "application/geo+json-seq"]
    /// What other programs call their formats. The content says which one a body has.
    private static let foreignTypes = [
        "application/vnd.google-earth.kml+xml", "application/vnd.google-earth.kmz", "application/gpx+xml",
        "application/xml", "text/xml", "text/csv", "text/plain", "application/zip", "application/topo+json",
    ]
    /// Regions that a dry run returns.
    private static let previewed = 500

    var postRegions: Route {
        Route(
            method: .post, path: "/v1/regions", name: "postRegions",
            summary: "Adds a region, or adds and replaces many atomically", tag: "Regions", access: .unbound(.write),
            parameters: [
                API.repairFlag,
                Route.Parameter(
                    name: "idProperty", schema: #"{"type":"string","minLength":1,"maxLength":256}"#,
                    text: "The property with the ids, before the features' own."),
                Route.Parameter(
                    name: "radius",
                    schema: #"{"type":"number","minimum":1,"maximum":\#(Int(RegionOptions.radiusLimit))}"#,
                    text: "Metres around points, and to either side of lines, that have no length of their own."),
                .flag("dryRun", "Only reports what would be stored, with the first \(Self.previewed) regions."),
            ],
            body: Route.Body(
                types: API.regionTypes + API.lineTypes + ["application/octet-stream"],
                mislabeledTypes: API.foreignTypes, schema: Schema.named("NewRegions"), example: API.regionExample,
                isLarge: true),
            successes: [
                Route.Success(
                    status: .created, type: RouteResponse.geoJSON, schema: Schema.named("Region"),
                    text: "The added region."),
                .json(
                    Schema.named("RegionImport"),
                    "The result for several regions, for regions of other programs, and for a dry run.",
                    example: #"{"created":2,"replaced":1}"#),
            ],
            failures: [.conflict],
            partition: .configuration,
            handle: { call in try await post(call) })
    }

    /// What a body has.
    private struct NewRegions: Sendable {
        var reading: RegionFile.Reading
        /// Whether it is one Feature, which is added and replaces none.
        var isOne: Bool
    }

    private func post(_ call: Call) async throws -> RouteResponse {
        let dryRun = try call.flag("dryRun")
        let options = RegionOptions(
            repair: try call.flag("repair"), idProperty: call.query["idProperty"].flatMap { $0.isEmpty ? nil : $0 },
            radius: try call.number("radius", in: 1...RegionOptions.radiusLimit), limits: .service)
        let isLines = call.contentType.map { Self.lineTypes.contains($0) } ?? false
        let new = try await importQueue.run(for: call.owner, bytes: call.body.count) {
            let body = isLines ? Self.collection(ofLines: call.body) : call.body
            let reading = AnyRegionFile.read(body, options: options)
            return NewRegions(reading: reading, isOne: !isLines && reading.positions == [.pointer("")])
        }
        if let problem = Problem.diagnostics(new.reading.diagnostics, "Regions are invalid. Nothing was changed.") {
            throw problem
        }
        let regions = new.reading.regions
        let replaced = Mutex<[RegionID]>([])
        let count: @Sendable (RegionCatalog) throws -> Void = { catalog in
            let known = regions.map(\.id).filter { catalog.region($0.rawValue) != nil }
            if new.isOne, !known.isEmpty {
                throw Problem.conflict("region_exists", "A region with this id exists. Use PUT to replace it.")
            }
            replaced.withLock { $0 = known }
        }
        if dryRun {
            try count(monitoring.regions().catalog)
        } else {
            _ = try await monitoring.editRegions { catalog in
                try count(catalog)
                return RegionEdit(changed: regions)
            }
        }
        if new.isOne, !dryRun, let region = regions.first {
            return RouteResponse(.created, type: RouteResponse.geoJSON, bytes: region.feature).tagged().located(
                at: region.location)
        }
        let known = replaced.withLock { $0 }
        return RouteResponse { writer in
            writer.beginObject()
            writer.member("created", regions.count - known.count)
            writer.member("replaced", known.count)
            if !known.isEmpty { writer.array("replacedIds", known.prefix(Self.previewed)) { $0.value($1.rawValue) } }
            Self.write(warningsOf: new.reading, to: &writer)
            if dryRun {
                writer.array("regions", regions.prefix(Self.previewed)) { writer, region in writer.value(region) }
            }
            writer.endObject()
        }
    }

    private static func write(warningsOf reading: RegionFile.Reading, to writer: inout JSONWriter) {
        let warnings = reading.diagnostics.filter { $0.severity == .warning }
        guard !warnings.isEmpty else { return }
        writer.array("warnings", warnings.prefix(Problem.faultLimit)) { writer, warning in
            writer.beginObject()
            writer.member("pointer", warning.position.pointer)
            if let line = warning.position.line { writer.member("line", line) }
            writer.member("code", warning.code)
            writer.member("detail", warning.message)
            writer.endObject()
        }
    }

    /// Converts lines of features to a FeatureCollection with the same line numbers.
    static func collection(ofLines body: [UInt8]) -> [UInt8] {
        var collection = Array("{\"type\":\"FeatureCollection\",\"features\":[".utf8)
        collection.reserveCapacity(body.count + 64)
        var isFirst = true
        for line in body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            // RFC 8142 puts a record separator before each text.
            let text = line.drop { $0 == 0x1E || $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if !text.isEmpty {
                if !isFirst { collection.append(UInt8(ascii: ",")) }
                isFirst = false
                collection.append(contentsOf: text)
            }
            collection.append(UInt8(ascii: "\n"))
        }
        return collection + Array("]}".utf8)
    }
}

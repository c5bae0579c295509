import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostService
import HTTPTypes
import Synchronization

/// Routes that change regions.
extension API {
    private static let types = ["application/geo+json", "application/json"]
    private static let repair = Route.Parameter.flag("repair", "Repairs invalid polygons instead of rejecting them.")
    private static let example =
        #"{"type":"Feature","id":"office","geometry":{"type":"Point","coordinates":[13.377,52.519]},"#
        + #""properties":{"name":"Office","radius":150,"tags":["work"]}}"#

    // MARK: POST

    var postRegions: Route {
        Route(
            method: .post, path: "/v1/regions", name: "postRegions",
            summary: "Adds a region, or adds and replaces many atomically", tag: "Regions", access: .unbound(.write),
            parameters: [
                API.repair,
                Route.Parameter(
                    name: "idProperty", schema: #"{"type":"string","minLength":1,"maxLength":256}"#,
                    text: "The property with the ids, before the features' own."),
            ],
            body: Route.Body(
                types: API.types + ["application/x-ndjson", "application/ndjson", "application/geo+json-seq"],
                schema: Schema.named("NewRegions"), example: API.example, isLarge: true),
            successes: [
                Route.Success(
                    status: .created, type: RouteResponse.geoJSON, schema: Schema.named("Region"),
                    text: "The added region."),
                .json(
                    Schema.named("RegionImport"), "The result for a FeatureCollection or for lines of features.",
                    example: #"{"created":2,"replaced":1}"#),
            ],
            failures: [.conflict],
            partition: .configuration,
            handle: { call in try await post(call) })
    }

    private func post(_ call: Call) async throws -> RouteResponse {
        let repairs = try call.flag("repair")
        let idProperty = call.query["idProperty"].flatMap { $0.isEmpty ? nil : $0 }
        let options = RegionOptions(repair: repairs, idProperty: idProperty, limits: .service)
        let isLines = call.contentType.map { $0.hasSuffix("ndjson") || $0 == "application/geo+json-seq" } ?? false
        let (reading, isOne) = try await importQueue.run(for: call.owner, bytes: call.body.count) {
            let body = isLines ? Self.collection(ofLines: call.body) : call.body
            let reading = RegionFile.read(body, options: options)
            return (reading, !isLines && reading.pointers == [""])
        }
        if let problem = Problem.diagnostics(reading.diagnostics, "Regions are invalid. Nothing was changed.") {
            throw problem
        }
        let regions = reading.regions
        let counts = Mutex((created: 0, replaced: 0))
        _ = try await monitoring.editRegions { catalog in
            let known = regions.count { catalog.region($0.id.rawValue) != nil }
            if isOne, known > 0 {
                throw Problem.conflict("region_exists", "A region with this id exists. Use PUT to replace it.")
            }
            counts.withLock { $0 = (regions.count - known, known) }
            return RegionEdit(changed: regions)
        }
        if isOne, let region = regions.first {
            return RouteResponse(.created, type: RouteResponse.geoJSON, bytes: region.feature).tagged().located(
                at: region.location)
        }
        let (created, replaced) = counts.withLock { $0 }
        let warnings = reading.diagnostics.filter { $0.severity == .warning }
        return RouteResponse { writer in
            writer.beginObject()
            writer.member("created", created)
            writer.member("replaced", replaced)
            if !warnings.isEmpty {
                writer.array("warnings", warnings.prefix(Problem.faultLimit)) { writer, warning in
                    writer.beginObject()
                    if case .pointer(let pointer) = warning.position { writer.member("pointer", pointer) }
                    writer.member("code", warning.code)
                    writer.member("detail", warning.message)
                    writer.endObject()
                }
            }
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

    // MARK: PUT, PATCH, DELETE

    var putRegion: Route {
        Route(
            method: .put, path: "/v1/regions/{id}", name: "putRegion", summary: "Adds or replaces a region",
            tag: "Regions", access: .unbound(.write), parameters: [.id("region"), API.repair],
            body: Route.Body(
                types: API.types, schema: Schema.named("NewRegion"),
                example: API.example.replacing(#""id":"office","#, with: "")),
            successes: [
                Route.Success(
                    status: .ok, type: RouteResponse.geoJSON, schema: Schema.named("Region"),
                    text: "The region was replaced."),
                Route.Success(
                    status: .created, type: RouteResponse.geoJSON, schema: Schema.named("Region"),
                    text: "The region was added."),
            ],
            failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                let id = RegionID(call.parameter("id"))
                let region = try Self.region(call.body, id: id, repairs: try call.flag("repair"))
                let isNew = Mutex(false)
                let precondition = call.precondition
                _ = try await monitoring.editRegions { catalog in
                    let current = catalog.region(id.rawValue)
                    try precondition.check(current?.tag)
                    isNew.withLock { $0 = current == nil }
                    return RegionEdit(changed: current == region ? [] : [region])
                }
                let wasAdded = isNew.withLock { $0 }
                let response = RouteResponse(
                    wasAdded ? .created : .ok, type: RouteResponse.geoJSON, bytes: region.feature
                ).tagged()
                return wasAdded ? response.located(at: region.location) : response
            })
    }

    var patchRegion: Route {
        Route(
            method: .patch, path: "/v1/regions/{id}", name: "patchRegion",
            summary: "Changes a region by a JSON merge patch (RFC 7396)", tag: "Regions", access: .unbound(.write),
            parameters: [.id("region"), API.repair],
            body: Route.Body(
                types: ["application/merge-patch+json"] + API.types, schema: Schema.named("RegionChange"),
                example: #"{"properties":{"name":"New name","dwell":null}}"#),
            successes: [
                Route.Success(
                    status: .ok, type: RouteResponse.geoJSON, schema: Schema.named("Region"),
                    text: "The changed region.")
            ],
            failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                let id = RegionID(call.parameter("id"))
                let patch = try call.json()
                let repairs = try call.flag("repair")
                let precondition = call.precondition
                let catalog = try await monitoring.editRegions { catalog in
                    guard let current = catalog.region(id.rawValue) else { throw Problem.notFound("region") }
                    try precondition.check(current.tag)
                    let merged = try MergePatch.apply(patch.root, to: JSONDocument(parsing: current.feature).root)
                    return RegionEdit(changed: [try Self.region(merged, id: id, repairs: repairs)])
                }
                guard let region = catalog.region(id.rawValue) else { throw Problem.notFound("region") }
                return RouteResponse(type: RouteResponse.geoJSON, bytes: region.feature).tagged()
            })
    }

    var deleteRegion: Route {
        Route(
            method: .delete, path: "/v1/regions/{id}", name: "deleteRegion",
            summary: "Removes a region. Devices inside it exit", tag: "Regions", access: .unbound(.write),
            parameters: [.id("region")], successes: [.noContent("The region was removed.")],
            failures: [.preconditionFailed],
            partition: .configuration,
            handle: { call in
                let id = RegionID(call.parameter("id"))
                let precondition = call.precondition
                _ = try await monitoring.editRegions { catalog in
                    guard let current = catalog.region(id.rawValue) else { throw Problem.notFound("region") }
                    try precondition.check(current.tag)
                    return RegionEdit(removed: [id])
                }
                return .noContent
            })
    }

    /// Reads a body with one region.
    private static func region(_ body: [UInt8], id: RegionID, repairs: Bool) throws(Problem) -> Region {
        let reading = RegionFile.read(
            body, options: RegionOptions(repair: repairs, limits: .service, id: id))
        if let problem = Problem.diagnostics(reading.diagnostics, "The region is invalid.") { throw problem }
        guard reading.regions.count == 1, reading.pointers == [""], let region = reading.regions.first else {
            throw .invalid("not_a_feature", "The body has to be one GeoJSON Feature.")
        }
        return region
    }
}

/// JSON merge patch (RFC 7396): members replace members, `null` removes a member, other values are replaced as a whole.
enum MergePatch {
    static func apply(_ patch: JSONElement, to target: JSONElement) -> [UInt8] {
        var writer = JSONWriter()
        write(patch, over: target, to: &writer)
        return writer.bytes
    }

    private static func write(_ patch: JSONElement, over target: JSONElement?, to writer: inout JSONWriter) {
        guard let changes = patch.object else { return writer.value(patch) }
        writer.beginObject()
        let old = target?.object.map { Array($0) } ?? []
        for member in old {
            guard let change = patch[member.name] else {
                writer.name(member.name)
                writer.value(member.value)
                continue
            }
            guard !change.isNull else { continue }
            writer.name(member.name)
            write(change, over: member.value, to: &writer)
        }
        for change in changes where !change.value.isNull && target?[change.name] == nil {
            writer.name(change.name)
            write(change.value, over: nil, to: &writer)
        }
        writer.endObject()
    }
}

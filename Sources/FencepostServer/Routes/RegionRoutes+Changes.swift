import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostService
import HTTPTypes
import Synchronization

/// Routes that change regions.
extension API {
    static let regionTypes = ["application/geo+json", "application/json"]
    static let repairFlag = Route.Parameter.flag("repair", "Repairs invalid polygons instead of rejecting them.")
    static let regionExample =
        #"{"type":"Feature","id":"office","geometry":{"type":"Point","coordinates":[13.377,52.519]},"#
        + #""properties":{"name":"Office","radius":150,"tags":["work"]}}"#

    // MARK: PUT, PATCH, DELETE

    var putRegion: Route {
        Route(
            method: .put, path: "/v1/regions/{id}", name: "putRegion", summary: "Adds or replaces a region",
            tag: "Regions", access: .unbound(.write), parameters: [.id("region"), API.repairFlag],
            body: Route.Body(
                types: API.regionTypes, schema: Schema.named("NewRegion"),
                example: API.regionExample.replacing(#""id":"office","#, with: "")),
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
            parameters: [.id("region"), API.repairFlag],
            body: Route.Body(
                types: ["application/merge-patch+json"] + API.regionTypes, schema: Schema.named("RegionChange"),
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
        guard reading.regions.count == 1, reading.positions == [.pointer("")], let region = reading.regions.first else {
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

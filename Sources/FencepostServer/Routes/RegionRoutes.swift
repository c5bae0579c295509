import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import HTTPTypes

/// Routes that read regions.
extension API {
    var regionRoutes: [Route] {
        [listRegions, postRegions, getRegion, putRegion, patchRegion, deleteRegion, regionDevices]
    }

    private static let near = [
        Route.Parameter(
            name: "contains", schema: Schema.numbers(Schema.latitude, Schema.longitude),
            text: "Only regions that cover this position: lat,lon."),
        Route.Parameter(
            name: "near", schema: Schema.numbers(Schema.latitude, Schema.longitude),
            text: "Only regions that cover this position or are near it: lat,lon."),
        Route.Parameter(
            name: "within", schema: #"{"type":"number","minimum":0,"maximum":20003931}"#,
            text: "Maximum distance of near in metres; 1000 by default."),
        Route.Parameter(
            name: "bbox",
            schema: Schema.numbers(Schema.longitude, Schema.latitude, Schema.longitude, Schema.latitude),
            text:
                "Only regions whose envelope intersects this one: west,south,east,north. West may be greater than east."
        ),
    ]

    private static let regionName = Route.Parameter(
        name: "name", schema: Schema.text,
        text: "Only regions whose name has this text, in any case; of those without a name, whose id has it.")
    private static let regionTag = Route.Parameter(
        name: "tag", schema: Schema.text, text: "Only regions with this tag.")

    private var listRegions: Route {
        Route(
            method: .get, path: "/v1/regions", name: "listRegions", summary: "Lists regions by id", tag: "Regions",
            access: .scope(.read), parameters: API.near + [Self.regionName, Self.regionTag] + Route.Parameter.paging,
            successes: [
                .json(Schema.list(of: Schema.named("Region")), "A page of regions."),
                Route.Success(
                    status: .ok, type: RouteResponse.geoJSON, schema: Schema.named("RegionCollection"),
                    text: "The page as a FeatureCollection, when Accept contains application/geo+json."),
            ],
            partition: .configuration,
            handle: { call in try regions(call) })
    }

    private func regions(_ call: Call) throws -> RouteResponse {
        let index = monitoring.regions()
        let limit = try call.limit()
        let after = try call.cursor(Cursor.id).map { RegionID($0) }
        var all = try found(call, index) ?? listing.ids(of: index.catalog)
        if call.caller.visibility.tags != nil {
            all = all.filter { id in index.catalog.region(id.rawValue).map(call.caller.visibility.includes) ?? false }
        }
        if call.query["tag"] != nil || call.query["name"] != nil {
            let (tag, name) = (call.query["tag"], call.query["name"]?.lowercased())
            all = all.filter { id in
                guard let region = index.catalog.region(id.rawValue) else { return false }
                return tag.map(region.tags.contains) ?? true
                    && name.map { (region.name ?? id.rawValue).lowercased().contains($0) } ?? true
            }
        }
        // The ids are sorted by bytes, so a binary search finds the start of the page.
        let start = after.map { after in all.partitioningIndex { after < $0 } } ?? 0
        let ids = all[start...].prefix(limit)
        let isMore = start + ids.count < all.count
        let next = isMore ? ids.last.map { Cursor.encode(id: $0.rawValue) } : nil
        let page = ids.compactMap { id in index.catalog.handle(for: id).flatMap { index.catalog[$0] } }
        guard call.accepts(RouteResponse.geoJSON) else { return call.page(page, next: next) { $0.value($1) } }
        let collection = RouteResponse(type: RouteResponse.geoJSON) { writer in
            writer.beginObject()
            writer.member("type", "FeatureCollection")
            writer.array("features", page) { $0.value($1) }
            writer.member("nextCursor", next)
            writer.endObject()
        }
        return call.linked(collection, next: next)
    }

    /// The sorted ids of the regions that match a spatial parameter; `nil` without such a parameter.
    private func found(_ call: Call, _ index: RegionIndex) throws -> [RegionID]? {
        let asked = ["contains", "near", "bbox"].filter { call.query[$0] != nil }
        guard asked.count <= 1 else { throw Problem.parameter(asked[1], "it cannot be combined with \(asked[0]).") }
        guard asked.contains("near") || call.query["within"] == nil else {
            throw Problem.parameter("within", "it requires near.")
        }
        var handles: [RegionHandle] = []
        var query = RegionQuery(index)
        if let coordinate = try call.coordinate("contains") {
            handles = try query.covering(coordinate)
        } else if let coordinate = try call.coordinate("near") {
            let meters = try call.number("within", in: 0...20_003_931) ?? 1000
            var near: [Proximity] = []
            try query.near(coordinate, within: meters, into: &near)
            handles = near.map(\.region)
        } else if let envelopes = try call.envelopes("bbox") {
            handles = index.regions(intersecting: envelopes)
        } else {
            return nil
        }
        return handles.compactMap { index.catalog[$0]?.id }.sorted()
    }

    private var getRegion: Route {
        Route(
            method: .get, path: "/v1/regions/{id}", name: "getRegion", summary: "Shows a region", tag: "Regions",
            access: .scope(.read), parameters: [.id("region")],
            successes: [
                Route.Success(
                    status: .ok, type: RouteResponse.geoJSON, schema: Schema.named("Region"),
                    text: "The region, with an ETag."
                )
            ],
            partition: .configuration,
            handle: { call in
                let catalog = monitoring.regions().catalog
                guard let region = catalog.region(call.parameter("id")), call.caller.visibility.includes(region) else {
                    throw Problem.notFound("region")
                }
                return RouteResponse(type: RouteResponse.geoJSON, bytes: region.feature).tagged()
            })
    }

    private var regionDevices: Route {
        Route(
            method: .get, path: "/v1/regions/{id}/devices", name: "listRegionDevices",
            summary: "Lists the devices inside a region", tag: "Regions", access: .scope(.read),
            parameters: [.id("region")] + Route.Parameter.paging,
            successes: [.json(Schema.list(of: Schema.named("Device")), "A page of devices.")],
            partition: .pages(.id("id")),
            handle: { call in
                guard let region = monitoring.regions().catalog.region(call.parameter("id")),
                    call.caller.visibility.includes(region)
                else { throw Problem.notFound("region") }
                return try devices(call, in: region.id)
            })
    }
}

extension RegionCatalog {
    func region(_ id: String) -> Region? { handle(for: RegionID(id)).flatMap { self[$0] } }
}

extension Call {
    /// A position in the form `lat,lon`.
    func coordinate(_ name: String) throws(Problem) -> Coordinate? {
        guard let numbers = try numbers(name, count: 2) else { return nil }
        let coordinate = Coordinate(latitude: numbers[0], longitude: numbers[1])
        guard coordinate.isValid else {
            throw .parameter(name, "it has to be a latitude from -90 to 90 and a longitude from -180 to 180.")
        }
        return coordinate
    }

    /// An envelope in the form `west,south,east,north`; two envelopes when it crosses the antimeridian.
    func envelopes(_ name: String) throws(Problem) -> [Envelope]? {
        guard let numbers = try numbers(name, count: 4) else { return nil }
        let (west, south, east, north) = (numbers[0], numbers[1], numbers[2], numbers[3])
        guard west.magnitude <= 180, east.magnitude <= 180, south.magnitude <= 90, north.magnitude <= 90, south <= north
        else {
            throw .parameter(name, "it has to be west,south,east,north in degrees, with south at most north.")
        }
        guard west > east else { return [Envelope(west: west, south: south, east: east, north: north)] }
        return [
            Envelope(west: west, south: south, east: 180, north: north),
            Envelope(west: -180, south: south, east: east, north: north),
        ]
    }

    /// Whether `Accept` contains the type.
    func accepts(_ type: String) -> Bool {
        headers[.accept]?.split(separator: ",").contains {
            $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == type
        } ?? false
    }
}

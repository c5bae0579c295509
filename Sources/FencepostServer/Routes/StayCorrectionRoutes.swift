import FencepostAnalysis
import FencepostGeometry
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostRegions
import FencepostService
import HTTPTypes

/// Routes of what users state about the stays of devices (rule A30).
extension API {
    private static let tag = "History"
    private static let members = ["arrival", "departure", "stay", "name", "regionId", "latitude", "longitude"]

    var stayCorrectionRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/devices/{id}/stay-corrections", name: "listStayCorrections",
                summary: "Lists what users state about the stays of a device, by time", tag: Self.tag,
                access: .scope(.read), parameters: [.id("device")],
                successes: [.json(Schema.list(of: Schema.named("StayCorrection")), "The corrections, on one page.")],
                partition: .device,
                handle: { call in
                    let stays = try await store.stayCorrections(of: try call.pathDevice())
                    return call.page(stays, next: nil) { $0.value($1) }
                }),
            Route(
                method: .post, path: "/v1/devices/{id}/stay-corrections", name: "postStayCorrection",
                summary: "States where a device stayed, or that it did not stay, in place of what its locations show",
                tag: Self.tag, access: .scope(.write), parameters: [.id("device")],
                body: Route.Body(
                    types: ["application/json"], schema: Schema.named("NewStayCorrection"),
                    example:
                        #"{"arrival":"2026-03-01T08:30:00Z","departure":"2026-03-01T09:00:00Z","name":"Bakery"}"#),
                successes: [
                    .created(Schema.named("StayCorrection"), "The correction. It cuts those that it overlaps.")
                ],
                failures: [.conflict],
                partition: .device,
                handle: { call in try await post(call) }),
            Route(
                method: .delete, path: "/v1/devices/{id}/stay-corrections/{correction}", name: "deleteStayCorrection",
                summary: "Removes a correction, so that the locations count again", tag: Self.tag,
                access: .scope(.write),
                parameters: [.id("device"), .id("correction", "correction")],
                successes: [.noContent("The correction is removed.")],
                partition: .device,
                handle: { call in
                    let device = try call.pathDevice()
                    guard try await store.removeStayCorrection(id: call.parameter("correction"), of: device) else {
                        throw Problem.notFound("correction")
                    }
                    return .noContent
                }),
        ]
    }

    private func post(_ call: Call) async throws -> RouteResponse {
        let device = try call.pathDevice()
        let root = try call.json().root
        try root.checkMembers(Self.members)
        let (arrival, departure) = (try time("arrival", root), try time("departure", root))
        guard arrival < departure else {
            throw Self.fault("departure", "The departure has to be after the arrival.")
        }
        guard departure - arrival <= StayCorrection.longest, departure <= clock.now() else {
            throw Self.fault("departure", "The departure has to be in the past, at most 90 days after the arrival.")
        }
        let isStay = root["stay"]?.bool ?? true
        guard root["stay"] == nil || root["stay"]?.bool != nil else {
            throw Self.fault("stay", "The value has to be true or false.")
        }
        var correction = StayCorrection(
            id: newID("cor_"), deviceID: device, arrival: arrival, departure: departure, site: nil)
        if isStay {
            correction.site = try await site(root, of: correction)
        } else if let given = Self.members.dropFirst(3).first(where: { root[$0].map { !$0.isNull } ?? false }) {
            throw Self.fault(given, "Where there was no stay, there is no place.")
        }
        guard try await store.add(correction) else {
            throw Problem.conflict("too_many", "A device has at most \(StayCorrection.most) corrections: remove some.")
        }
        return RouteResponse(.created) { [correction] in $0.value(correction) }
    }

    /// The place that is given, or else that of the visit that the correction is about.
    private func site(_ root: JSONElement, of correction: StayCorrection) async throws -> StayCorrection.Site {
        let name = try name(root)
        let region = try region(root)
        let span = TimeSpan(correction.arrival, correction.departure)
        let history = StoredHistory(store: store, device: correction.deviceID)
        let visit = try await history.read(span, wantsTrips: false).timeline.visits.max { first, second in
            (first.span.clipped(to: span)?.seconds ?? 0) < (second.span.clipped(to: span)?.seconds ?? 0)
        }.flatMap { $0.span.clipped(to: span) == nil ? nil : $0.visit }
        if let coordinate = try coordinate(root) {
            return StayCorrection.Site(name: name, coordinate: coordinate, regions: region.map { [$0.id] } ?? [])
        }
        if let region {
            return StayCorrection.Site(name: name, coordinate: region.shape.middle, regions: [region.id])
        }
        guard let visit else {
            throw Self.fault(
                "latitude", "The device has no visit in this time: say where it was, by \"regionId\" or a position.")
        }
        return StayCorrection.Site(name: name, coordinate: visit.coordinate, regions: visit.regions)
    }

    private func name(_ root: JSONElement) throws -> String? {
        guard let element = root["name"], !element.isNull else { return nil }
        guard let name = element.string, TextLimit(1...StayCorrection.largestName).admits(name),
            !name.contains(where: \.isNewline),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw Self.fault("name", "The name has to have 1 to \(StayCorrection.largestName) characters, in one line.")
        }
        return name
    }

    private func region(_ root: JSONElement) throws -> Region? {
        guard let element = root["regionId"], !element.isNull else { return nil }
        guard let region = element.string.flatMap({ monitoring.regions().catalog.region($0) }) else {
            throw Self.fault("regionId", "There is no region with this id.")
        }
        return region
    }

    private func coordinate(_ root: JSONElement) throws -> Coordinate? {
        func number(_ name: String, _ limit: Int) throws -> Double? {
            guard let element = root[name], !element.isNull else { return nil }
            guard let number = element.double, number.magnitude <= Double(limit) else {
                throw Self.fault(name, "The value has to be \(-limit) to \(limit) degrees.")
            }
            return number
        }
        let (latitude, longitude) = (try number("latitude", 90), try number("longitude", 180))
        guard (latitude == nil) == (longitude == nil) else {
            throw Self.fault(latitude == nil ? "latitude" : "longitude", "A position has a latitude and a longitude.")
        }
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private func time(_ name: String, _ root: JSONElement) throws -> Timestamp {
        guard let time = root[name]?.string.flatMap({ Timestamp(rfc3339: $0) }) else {
            throw Self.fault(name, "The value has to be an RFC 3339 time.")
        }
        return time
    }

    private static func fault(_ member: String, _ detail: String) -> Problem {
        .invalid(
            "invalid_value", "The correction is invalid.",
            [Problem.Fault(pointer: "/\(member)", code: "invalid_value", detail: detail)])
    }
}

extension Shape {
    /// A position for a stay that is only known to be in it. A shape across the antimeridian has a part on either side of
    /// it, so one part counts.
    fileprivate var middle: Coordinate {
        switch self {
        case .circle(let circle): circle.center
        case .polygons(let polygons): Self.middle(of: polygons.polygons.first?.exterior.coordinates ?? [])
        case .corridor(let corridor): corridor.lines.first.map { $0[$0.count / 2] } ?? Self.middle(of: [])
        }
    }

    private static func middle(of coordinates: [Coordinate]) -> Coordinate {
        let count = Double(max(coordinates.count, 1))
        return Coordinate(
            latitude: coordinates.map(\.latitude).reduce(0, +) / count,
            longitude: coordinates.map(\.longitude).reduce(0, +) / count)
    }
}

extension JSONWriter {
    /// What a user states about a stay.
    mutating func value(_ correction: StayCorrection) {
        beginObject()
        member("id", correction.id)
        member("deviceId", correction.deviceID.rawValue)
        member("arrival", correction.arrival)
        member("departure", correction.departure)
        member("stay", correction.site != nil)
        if let site = correction.site {
            if let name = site.name { member("name", name) }
            member("latitude", site.coordinate.latitude)
            member("longitude", site.coordinate.longitude)
            array("regions", site.regions) { $0.value($1.rawValue) }
        }
        endObject()
    }
}

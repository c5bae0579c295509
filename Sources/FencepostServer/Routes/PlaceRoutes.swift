import FencepostAnalysis
import FencepostEngine
import FencepostGeometry
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import Foundation
import HTTPTypes

/// Routes of suggested places.
extension API {
    var placeRoutes: [Route] { [listPlaces, postPlaceRegion] }

    private static let placeParameters: [Route.Parameter] = [
        .deviceID, .from, .to, API.timeZone,
    ]

    private var listPlaces: Route {
        Route(
            method: .get, path: "/v1/places", name: "listPlaces",
            summary: "Suggests places from frequent visits, those with the most visits first", tag: "History",
            access: .scope(.read),
            parameters: Self.placeParameters + [.flag("new", "Only places that are in no region."), API.addresses],
            successes: [
                .json(
                    Schema.list(of: Schema.named("Place")),
                    "The places of the period, by default of the last 92 days, with the events of the last 31 days of it."
                )
            ],
            failures: [.notFound],
            partition: .suggestions,
            handle: { call in
                let isNew = try call.flag("new")
                let period = try placePeriod(of: call)
                let places = try await places(call, period).filter { !isNew || $0.regions.isEmpty }
                let events = try await events(of: places, period)
                let wantsAddresses = try call.flag("addresses")
                let addresses = await addresses(
                    of: places.filter(\.regions.isEmpty).map(\.center), if: wantsAddresses)
                return call.page(places, next: nil) { writer, place in
                    writer.beginObject(place)
                    writer.name("lastMonth")
                    writer.value(events[RegionID(place.id)] ?? PlaceEvents())
                    if wantsAddresses { writer.member(address: addresses[place.center]) }
                    writer.endObject()
                }
            })
    }

    private var postPlaceRegion: Route {
        Route(
            method: .post, path: "/v1/places/{id}/region", name: "postPlaceRegion",
            summary: "Makes a suggested place a region", tag: "History", access: .unbound(.write),
            parameters: [.id("place")] + Self.placeParameters,
            body: Route.Body(
                types: [RouteResponse.json], schema: Schema.named("NewPlaceRegion"),
                example: #"{"name":"Office","radius":120,"tags":["work"]}"#),
            successes: [
                Route.Success(
                    status: .created, type: RouteResponse.geoJSON, schema: Schema.named("Region"),
                    text: "The added region, with the id of the place.")
            ],
            failures: [.conflict],
            partition: .regionFromSuggestion,
            handle: { call in
                let root = try call.json().root
                guard root.object != nil else {
                    throw Problem.invalid("invalid_shape", "The body is not a JSON object.")
                }
                let id = call.parameter("id")
                let all = try await places(call, try placePeriod(of: call))
                // Ids follow from the content: after new visits the place has another id.
                guard let place = all.first(where: { $0.id == id }) else { throw Problem.notFound("place") }
                var region = place.region(name: root["name"]?.string)
                if let radius = root["radius"]?.double {
                    guard (1...100_000).contains(radius) else {
                        throw Problem.invalid("invalid_radius", "The radius has to be from 1 to 100000 metres.")
                    }
                    region.shape = .circle(.init(center: place.center, radius: radius))
                }
                region.tags = root["tags"]?.array?.compactMap(\.string) ?? []
                // The same checks as those of a region that is sent.
                let reading = RegionFile.read(region.feature, options: RegionOptions(limits: .service))
                if let problem = Problem.diagnostics(reading.diagnostics, "The region is invalid. Nothing was changed.")
                {
                    throw problem
                }
                let found = RouteResponse(.created, type: RouteResponse.geoJSON, bytes: region.feature).tagged()
                    .located(at: region.location)
                // The configuration adds it.
                guard !call.isOfFanOut else { return found }
                let added = reading.regions
                _ = try await monitoring.editRegions { catalog in
                    guard catalog.region(id) == nil else {
                        throw Problem.conflict("region_exists", "The place is a region already.")
                    }
                    return RegionEdit(changed: added)
                }
                return found
            })
    }

    /// The period of the visits. The default ends with the day, so that the ids of places hold for a day.
    private func placePeriod(of call: Call) throws(Problem) -> TimeSpan {
        if call.query["to"] != nil || call.query["from"] != nil { return try period(of: call, days: 92) }
        let day: Int64 = 86_400_000
        let end = Timestamp(milliseconds: (clock.now().milliseconds / day + 1) * day)
        return TimeSpan(end - .seconds(92 * 86_400), end)
    }

    private func places(_ call: Call, _ period: TimeSpan) async throws -> [SuggestedPlace] {
        var suggested = SuggestedPlaces(timeZone: try zone(of: call))
        try await forEachDevice(call) { device in
            let found = try await StoredHistory(store: store, device: device)
                .read(period, wantsTrips: true, wantsExtents: true)
            suggested.add(found.timeline.inPeriod(period), extents: found.extents)
        }
        return suggested.places()
    }

    /// The events that the places would have given as regions in the last 31 days of the period.
    private func events(of places: [SuggestedPlace], _ period: TimeSpan) async throws -> [RegionID: PlaceEvents] {
        var found: [RegionID: PlaceEvents] = [:]
        guard !places.isEmpty else { return found }
        var settings = MonitorSettings()
        (settings.visits, settings.staleAfter) = (nil, nil)
        let index = RegionIndex(RegionCatalog(places.map { $0.region(name: nil) }))
        for device in Set(places.flatMap(\.devices)) {
            var engine = MonitorEngine(index, settings: settings)
            func count(_ event: Event) {
                guard let region = event.occurrence.region?.id else { return }
                found[region, default: PlaceEvents()].add(event)
            }
            let start = max(period.start, period.end - .seconds(31 * 86_400))
            let history = StoredHistory(store: store, device: device)
            try await history.forEachLocation(from: start, to: period.end) { location in
                _ = try engine.accept(location) { count($0) }
            }
            try engine.finish { count($0) }
        }
        return found
    }
}

/// The events that a place would have given as a region.
struct PlaceEvents: Sendable {
    private(set) var entered = 0
    private(set) var exited = 0
    private(set) var first: [Event] = []

    /// The number of events that are listed.
    private static let listed = 20

    mutating func add(_ event: Event) {
        switch event.occurrence {
        case .regionEntered: entered += 1
        case .regionExited: exited += 1
        case .regionDwelled, .visitArrived, .visitDeparted, .deviceStale, .deviceRecovered, .appRelaunched, .alert,
            .fence, .proximity, .plan:
            return
        }
        if first.count < Self.listed { first.append(event) }
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ events: PlaceEvents) {
        beginObject()
        member("entered", events.entered)
        member("exited", events.exited)
        array("events", events.first) { writer, event in
            writer.beginObject()
            writer.member("type", event.occurrence.type.rawValue)
            writer.member("deviceId", event.deviceID.rawValue)
            writer.member("timestamp", event.timestamp)
            writer.endObject()
        }
        endObject()
    }
}

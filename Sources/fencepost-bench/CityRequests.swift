import FencepostGeometry
import FencepostModel
import FencepostWorkload
import Foundation

/// The requests of one connection whose devices move through a city full of regions.
///
/// Some rounds of all devices are prepared and sent forth and back, so that devices move on and on.
struct CityRequests {
    /// For each round the requests with one position of each device.
    private var rounds: [[RequestTemplate]] = []
    private var sent = 0

    private static let prepared = 24

    init(_ options: IngestBenchmark, connection: Int, devices: Int) {
        var fleet = CityFleet(City(), devices: devices, seed: options.seed &+ UInt64(connection))
        for _ in 0..<Self.prepared {
            rounds.append(
                (0..<devices / options.batch).map { _ in
                    Self.template(options, connection, (0..<options.batch).map { _ in fleet.fix() })
                })
        }
    }

    private static func template(
        _ options: IngestBenchmark, _ connection: Int, _ locations: [Location]
    ) -> RequestTemplate {
        var body: [UInt8] = []
        var times: [Int] = []
        for location in locations {
            body += "{\"deviceId\":\"c\(connection)-\(location.deviceID)\",\"timestamp\":".utf8
            times.append(body.count)
            body += "\(1_000_000_000),\"latitude\":\(location.coordinate.latitude),".utf8
            body += "\"longitude\":\(location.coordinate.longitude),".utf8
            body += "\"horizontalAccuracy\":\(location.horizontalAccuracy ?? 8),".utf8
            body += "\"speed\":\(location.speed ?? 0),\"course\":\(location.course ?? 0)}\n".utf8
        }
        let bytes = request("/v1/locations", type: "application/x-ndjson", token: options.token, body)
        return RequestTemplate(bytes: bytes, times: times.map { $0 + bytes.count - body.count })
    }

    /// The next request; the times of each round are an interval of the fleet after those of the round before.
    mutating func next(start: Int64) -> [UInt8] {
        let perRound = rounds[0].count
        let (round, request) = sent.quotientAndRemainder(dividingBy: perRound)
        sent += 1
        let phase = round % (2 * (Self.prepared - 1))
        let index = phase < Self.prepared ? phase : 2 * (Self.prepared - 1) - phase
        rounds[index][request].stamp(start + Int64(round * CityFleet.interval))
        return rounds[index][request].bytes
    }

    /// The regions of the city as GeoJSON, of the crossing mode that the service is configured with.
    static func regions(_ count: Int, seed: UInt64) -> [UInt8] {
        let features = City().regions(count, seed: seed).map { region in
            guard case .polygons(let shape) = region.shape, let ring = shape.polygons.first?.rings.first else {
                preconditionFailure("the regions of a city are polygons")
            }
            let corners = ring.coordinates.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
            return "{\"type\":\"Feature\",\"id\":\"\(region.id.rawValue)\",\"properties\":{},"
                + "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[\(corners)]]}}"
        }
        return Array("{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ",\n"))]}".utf8)
    }

    static func request(_ path: String, type: String, token: String, _ body: [UInt8]) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }
}

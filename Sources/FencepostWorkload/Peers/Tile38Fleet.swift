import Dispatch
import FencepostGeometry
public import FencepostModel
import Synchronization

/// A fleet among regions as Tile38 is used for it: a geofence for each region, whose entries and exits a second connection
/// receives.
public final class Tile38Fleet {
    /// Commands that are on their way at a time.
    private static let batch = 256
    private static let key = "fleet"
    private static let end = "fencepost-end"

    private let connection: RESPConnection
    private let port: UInt16

    /// Connects to a server on this machine.
    public init(port: UInt16) throws(RESPConnection.Failure) {
        self.port = port
        connection = try RESPConnection(port: port)
    }

    /// Sets a geofence for each region of polygons; others are left out.
    public func setRegions(_ regions: [Region]) throws(RESPConnection.Failure) {
        var commands: [[String]] = []
        for region in regions {
            guard case .polygons(let shape) = region.shape else { continue }
            commands.append([
                "SETCHAN", region.id.rawValue, "INTERSECTS", Self.key, "FENCE", "DETECT", "enter,exit", "OBJECT",
                Self.geoJSON(shape),
            ])
            if commands.count == Self.batch {
                try connection.run(commands)
                commands = []
            }
        }
        try connection.run(commands)
    }

    /// Sends locations.
    ///
    /// - Returns: the number of entries and exits that were received.
    public func send(_ locations: [Location]) throws -> Int {
        let subscriber = try Subscriber(port: port, until: Self.end)
        for start in stride(from: 0, to: locations.count, by: Self.batch) {
            try connection.run(
                locations[start..<min(start + Self.batch, locations.count)].map { location in
                    [
                        "SET", Self.key, location.deviceID.rawValue, "POINT", "\(location.coordinate.latitude)",
                        "\(location.coordinate.longitude)",
                    ]
                })
        }
        // Messages arrive in order, so all others have arrived when this one has.
        try connection.run([["PUBLISH", Self.end, "end"]])
        return try subscriber.count()
    }

    private static func geoJSON(_ shape: MultiPolygon) -> String {
        let polygons = shape.polygons.map { polygon in
            let rings = polygon.rings.map { ring in
                "[" + ring.coordinates.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",") + "]"
            }
            return "[" + rings.joined(separator: ",") + "]"
        }
        return polygons.count == 1
            ? #"{"type":"Polygon","coordinates":\#(polygons[0])}"#
            : #"{"type":"MultiPolygon","coordinates":[\#(polygons.joined(separator: ","))]}"#
    }

    /// Counts messages on a thread of its own, since the server stops when nobody takes them.
    private struct Subscriber {
        private final class Outcome: Sendable {
            let result = Mutex<Result<Int, RESPConnection.Failure>>(.success(0))
            let isDone = DispatchSemaphore(value: 0)
        }

        private let outcome = Outcome()

        init(port: UInt16, until end: String) throws(RESPConnection.Failure) {
            let connection = try RESPConnection(port: port)
            try connection.send(RESPValue.command(["PSUBSCRIBE", "*"]))
            // The answer, so that no message is missed.
            _ = try connection.receive()
            let outcome = outcome
            let receive: () -> Result<Int, RESPConnection.Failure> = {
                var count = 0
                do throws(RESPConnection.Failure) {
                    while true {
                        // `pmessage`, the pattern, the channel, the message.
                        guard case .array(let values?) = try connection.receive(), values.count == 4,
                            values[0].text == "pmessage"
                        else { continue }
                        if values[2].text == end { return .success(count) }
                        count += 1
                    }
                } catch {
                    return .failure(error)
                }
            }
            nonisolated(unsafe) let run = receive  // because only the queue below calls it
            DispatchQueue.global().async {
                let result = run()
                outcome.result.withLock { $0 = result }
                outcome.isDone.signal()
            }
        }

        /// Waits for the last message.
        func count() throws(RESPConnection.Failure) -> Int {
            outcome.isDone.wait()
            return try outcome.result.withLock { $0 }.get()
        }
    }
}

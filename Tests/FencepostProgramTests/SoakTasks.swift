import FencepostEngine
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostServiceTesting
import FencepostTesting
import Foundation
import NIOCore
import Testing

/// What happens to a service in parallel with its phones while it is killed: long files, changes of regions, MQTT.
extension CrashTests {
    /// One acknowledged step of the editor of regions and of its phone, which waits for it.
    enum EditorAction: Sendable {
        case send([Location])
        case put(Region)
        case delete
    }

    private static let editor = DeviceID("editor/phone")
    private static let movingRegion = RegionID("moving")

    /// Lines for mosquitto: no message of a client that is away is dropped.
    static let brokerLines = ["allow_anonymous true", "max_queued_messages 0"]

    /// Repeats a request until the service answers with one of these statuses.
    private static func insist(
        _ ledger: Ledger, _ token: String, _ method: String, _ path: String, body: String? = nil,
        type: String = "application/json", statuses: Set<Int>
    ) async throws -> Client.Answer {
        while true {
            let client = Client(port: ledger.port, token: token)
            if let answer = try? await client.request(method, path, body: body, type: type, timeout: .seconds(10)),
                statuses.contains(answer.status)
            {
                return answer
            }
            // The service is down for a moment.
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    // MARK: Long files

    /// Imports files with more fixes than one commit has. An import that was answered with 202 is not sent again.
    static func importFiles(_ ledger: Ledger, _ token: String, seed: UInt64, _ start: Timestamp) async throws {
        var random = SeededGenerator(seed: seed)
        var number = 0
        while !ledger.isOver {
            number += 1
            var phone = Phone(id: "file/\(number)", random: SeededGenerator(seed: random.next()), time: start)
            let fixes = (0..<10_050).map { _ in phone.next() }
            let answer = try await insist(
                ledger, token, "POST", "/v1/imports", body: text(fixes), type: "application/x-ndjson",
                statuses: [200, 202])
            ledger.acknowledge(fixes)
            ledger.noteImport()
            guard answer.status == 202 else { continue }
            let id = try #require(answer.object["id"] as? String)
            while true {
                let job = try await insist(ledger, token, "GET", "/v1/imports/\(id)", statuses: [200, 404])
                #expect(job.status == 200, "the import \(id) is lost")
                if job.status == 404 || job.object["state"] as? String == "done" { break }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    // MARK: Regions

    /// Moves, resizes and deletes a region while its phone walks around it. Each step waits for the one before, so the
    /// order of fixes and changes is known.
    static func editRegions(_ ledger: Ledger, _ token: String, seed: UInt64, _ start: Timestamp) async throws {
        var random = SeededGenerator(seed: seed)
        var (position, time) = (Coordinate(latitude: 10, longitude: 10), start)
        while !ledger.isOver {
            let fixes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                let next = position.latitude + .random(in: -0.002...0.002, using: &random)
                position.latitude = min(max(next, 9.994), 10.006)
                position.latitude = (position.latitude * 1e6).rounded() / 1e6
                time = time + .seconds(Int.random(in: 5...60, using: &random))
                return Location(deviceID: editor, timestamp: time, coordinate: position, horizontalAccuracy: 10)
            }
            _ = try await insist(
                ledger, token, "POST", "/v1/locations", body: text(fixes), type: "application/x-ndjson",
                statuses: [200])
            ledger.note(.send(fixes))
            let path = "/v1/regions/\(movingRegion)"
            if Int.random(in: 0..<4, using: &random) == 0 {
                _ = try await insist(ledger, token, "DELETE", path, statuses: [204, 404])
                ledger.note(.delete)
            } else {
                let north = 0.001 * Double(Int.random(in: -3...3, using: &random))
                let circle = Circle(
                    center: Coordinate(latitude: 10 + north, longitude: 10),
                    radius: Double(Int.random(in: 2...5, using: &random)) * 100)
                let region = Region(id: movingRegion, shape: .circle(circle))
                var writer = JSONWriter()
                writer.value(region)
                _ = try await insist(
                    ledger, token, "PUT", path, body: String(decoding: writer.bytes, as: UTF8.self),
                    statuses: [200, 201])
                ledger.note(.put(region))
            }
            try await Task.sleep(for: .milliseconds(150))
        }
    }

    /// Compares the editor's phone with an engine that gets the same fixes and changes in the same order.
    ///
    /// - Returns: the ids of its events.
    static func compareEditor(_ client: Client, _ actions: [EditorAction]) async throws -> [String] {
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (.raw, nil)
        var catalog = RegionCatalog([])
        var engine = MonitorEngine(RegionIndex(catalog), settings: settings)
        var (expected, fixes): ([String], [Location]) = ([], [])
        func line(_ type: String, _ region: String?, _ timestamp: String) -> String {
            "\(type) \(region ?? "") \(timestamp)"
        }
        func id(of event: Event) -> String? { event.occurrence.region?.id.rawValue }
        func change() throws {
            try engine.replace(RegionIndex(catalog), at: .distantPast) { event in
                expected.append(line(event.occurrence.type.rawValue, id(of: event), "changed"))
            }
        }
        for action in actions {
            switch action {
            case .send(let batch):
                fixes += batch
                for location in batch {
                    _ = try engine.accept(location) { event in
                        expected.append(line(event.occurrence.type.rawValue, id(of: event), event.timestamp.rfc3339))
                    }
                }
            case .put(let region):
                catalog.update([region])
                try change()
            case .delete:
                guard catalog.regions.contains(where: { $0.region.id == movingRegion }) else { continue }
                catalog.update([], removing: [movingRegion])
                try change()
            }
        }
        let name = editor.rawValue.replacing("/", with: "%2F")
        let stored = try await client.all("/v1/locations?deviceId=\(name)").compactMap { $0["timestamp"] as? String }
        #expect(stored == fixes.map(\.timestamp.rfc3339))
        let events = try await client.all("/v1/events?deviceId=\(name)&history=all").sorted {
            ($0["sequence"] as? Int ?? 0) < ($1["sequence"] as? Int ?? 0)
        }
        let lines = events.map { event in
            line(
                event["type"] as? String ?? "", (event["region"] as? [String: Any])?["id"] as? String,
                event["reason"] as? String == "deleted" ? "changed" : event["timestamp"] as? String ?? "")
        }
        #expect(lines == expected)
        let known = try await client.all("/v1/regions").contains { $0["id"] as? String == movingRegion.rawValue }
        #expect(known == catalog.regions.contains { $0.region.id == movingRegion })
        return events.compactMap { $0["id"] as? String }
    }

    // MARK: MQTT

    /// Waits until the service has subscribed, so that the broker keeps messages for it from now on. In a cluster the
    /// node that leads does.
    static func waitForBroker(_ program: RunningProgram, _ token: String) async throws {
        for _ in 0..<1000 {
            for port in program.ports {
                if try await Client(port: port, token: token).isOne("fencepost_mqtt_connected") { return }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the service does not connect to the broker")
    }

    /// A phone that publishes one fix after the other. What the broker has acknowledged must arrive.
    static func publish(_ broker: Broker, _ ledger: Ledger, seed: UInt64, _ start: Timestamp) async throws {
        var phone = Phone(id: "mqtt/phone", random: SeededGenerator(seed: seed), time: start)
        while !ledger.isOver {
            let fix = phone.next()
            try broker.publish(
                "owntracks/mqtt/phone",
                """
                {"_type":"location","tst":\(fix.timestamp.milliseconds / 1000),"lat":\(fix.coordinate.latitude),\
                "lon":\(fix.coordinate.longitude),"acc":10}
                """)
            ledger.acknowledge([fix])
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

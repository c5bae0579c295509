import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostRegions
import Testing

extension CrashTests {
    /// Waits until the history of a device is evaluated. After many kills that takes minutes: a round is often too short
    /// for one chunk.
    private static func waitForEvaluation(of device: String, _ client: Client) async throws {
        for _ in 0..<24_000 {
            if try await client.all("/v1/devices/\(device)/evaluations").isEmpty { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("the history of \(device) is not evaluated after 20 minutes")
    }

    /// Compares what holds with an engine that gets all fixes in time order.
    static func compareLate(
        _ client: Client, _ ledger: Ledger, _ receiver: WebhookReceiver
    ) async throws {
        let acknowledged = ledger.acknowledged
        var (corrections, all): (Int, Set<String>) = (0, [])
        for (device, locations) in acknowledged {
            let name = device.rawValue.replacing("/", with: "%2F")
            if device.rawValue.hasPrefix("mqtt/") {
                // The broker has its messages; the service may still be reading them.
                for _ in 0..<600 {
                    if try await client.all("/v1/locations?deviceId=\(name)").count >= locations.count { break }
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            try await waitForEvaluation(of: name, client)
            let stored = try await client.all("/v1/locations?deviceId=\(name)")
            let sorted = locations.sorted { $0.timestamp < $1.timestamp }
            #expect(stored.compactMap { $0["timestamp"] as? String } == sorted.map(\.timestamp.rfc3339))
            var settings = MonitorSettings()
            (settings.crossing, settings.visits) = (.raw, nil)
            var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings)
            var expected: [String] = []
            for location in sorted {
                _ = try engine.accept(location) { event in
                    expected.append(
                        "\(event.detectedAt.rfc3339) \(event.timestamp.rfc3339) \(event.occurrence.type.rawValue) "
                            + (event.occurrence.region?.id.rawValue ?? ""))
                }
            }
            let events = try await client.all("/v1/events?deviceId=\(name)")
            let lines = events.map { event in
                "\(event["detectedAt"] ?? "") \(event["timestamp"] ?? "") \(event["type"] ?? "") "
                    + ((event["region"] as? [String: Any])?["id"] as? String ?? "")
            }
            #expect(lines.sorted() == expected.sorted(), "\(device)")
            let history = try await client.all("/v1/events?deviceId=\(name)&history=all")
            let sequences = history.compactMap { $0["sequence"] as? Int }.sorted()
            #expect(sequences == Array(1...max(1, sequences.count)).prefix(sequences.count).map { $0 })
            let held = Set(
                history.filter { $0["superseded"] == nil && $0["retracts"] == nil }.compactMap { $0["id"] as? String })
            #expect(held == Set(events.compactMap { $0["id"] as? String }))
            corrections += history.count - events.count
            all.formUnion(history.compactMap { $0["id"] as? String })
        }
        #expect(corrections > 0)
        all.formUnion(try await compareEditor(client, ledger.editorActions))
        for endpoint in ["one", "two", "all"] {
            // First what is pending: what is delivered while the list is read must be in one of them.
            let pending = Set(
                try await client.all("/v1/deliveries?endpointId=\(endpoint)&status=pending")
                    .compactMap { $0["eventId"] as? String })
            let delivered = Set(receiver.received.filter { $0.path == "/\(endpoint)" }.map(\.id))
            #expect(delivered.isSubset(of: all), "an event was delivered that is not stored")
            guard endpoint == "all" else { continue }
            let missing = all.subtracting(delivered).subtracting(pending)
            #expect(missing.isEmpty, "\(missing.count) of \(all.count) neither delivered nor pending")
        }
        let changes = ledger.editorActions.filter { if case .send = $0 { false } else { true } }.count
        print(
            "\(acknowledged.values.joined().count) fixes, \(ledger.imports) files in the background, "
                + "\(changes) changes of regions, \(all.count) events, \(corrections) that do not hold, "
                + repeats(receiver, ends: ledger.ends))
    }
}

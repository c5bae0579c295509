import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostTesting
import FencepostWebhooks
import Foundation
import Logging
import Testing

/// Rule W9 on real sockets in real time: ten endpoints, one of which never responds, with 100 events a second.
///
/// This is a measurement that other tests would disturb. `WebhookDispatcherTests` tests the rule in virtual time.
/// `FENCEPOST_ISOLATION_SECONDS=20 swift test --filter WebhookIsolationTests`
@Suite("Webhook isolation") struct WebhookIsolationTests {
    static let seconds = ProcessInfo.processInfo.environment["FENCEPOST_ISOLATION_SECONDS"].flatMap { Int($0) } ?? 0

    @Test(
        "delivers to the other nine endpoints within a second",
        .enabled(if: seconds > 0, "set FENCEPOST_ISOLATION_SECONDS to run it"))
    func percentile() async throws {
        let wall = { @Sendable in Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
        let began = ContinuousClock.now
        let clock = ServiceClock(steady: { ContinuousClock.now - began }, wall: wall)
        let outbox = MemoryOutbox()
        let sender = try HTTPMessageSender(
            guard: AddressGuard(
                allowedNetworks: ["127.0.0.0/8"].compactMap { IPNetwork($0) }, allowsHTTP: true), wall: wall)
        var quiet = Logger(label: "test")
        quiet.logLevel = .error
        let dispatcher = WebhookDispatcher(
            outbox: outbox, roster: EndpointRoster(), sender: sender, clock: clock, logger: quiet)
        try await TestReceiver.run({ $0.head[0].contains("/end_0 ") ? .hang : .answer(200) }) { receiver in
            for number in 0..<10 {
                var endpoint = Endpoint.test("end_\(number)")
                endpoint.url = "http://127.0.0.1:\(receiver.port)/end_\(number)"
                outbox.save(endpoint)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await dispatcher.run() }
                for step in 0..<(Self.seconds * 100) {
                    commit(step, to: outbox, dispatcher, at: clock.now())
                    try await ContinuousClock().sleep(until: began + .milliseconds(10 * (step + 1)))
                }
                try await Task.sleep(for: .seconds(1))
                group.cancelAll()
            }
        }
        let others = outbox.records.filter { $0.pending.endpointID != "end_0" }
        let waits = others.compactMap { record in
            record.attempts.last.map { ($0.startedAt + $0.duration - record.pending.createdAt).milliseconds }
        }.sorted()
        #expect(others.count == Self.seconds * 900)
        #expect(others.allSatisfy { $0.status == .delivered && $0.attempts.count == 1 })
        let percentiles = [50, 99, 100].map { "p\($0) \(waits[min(waits.count * $0 / 100, waits.count - 1)]) ms" }
        print("isolation: \(waits.count) deliveries, \(percentiles.joined(separator: ", "))")
        #expect(waits[waits.count * 99 / 100] < 1000)
        let dead = outbox.records.filter { $0.pending.endpointID == "end_0" }
        #expect(dead.allSatisfy { $0.status == .pending })
    }

    private func commit(_ step: Int, to outbox: MemoryOutbox, _ dispatcher: WebhookDispatcher, at now: Timestamp) {
        let ids = (0..<10).map { "end_\($0)" }
        outbox.add(
            ids.map { id in
                NewDelivery(
                    endpointID: id, eventID: "evt_\(step)", deviceID: DeviceID("d"),
                    body: "{\"data\":\"\(String(repeating: "x", count: 500))\"}",
                    headers: ["content-type": "application/json"], isOrdered: false)
            }, at: now)
        dispatcher.notify(endpoints: ids)
    }
}

import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService
import FencepostStore
import FencepostWebhooks
import Foundation
import Synchronization

/// Imports, and what must hold after all that is late is evaluated.
extension World {
    /// How long before an erasure something must have been sent at least, so that it cannot arrive after it.
    private static let flight = Duration.seconds(600)

    // MARK: Imports

    /// A walk in the past of a device, or what it has sent before.
    func makeHistory(_ device: Int, _ count: Int, _ hours: Int) -> [Location] {
        let now = time.now
        return state.withLock { state -> [Location] in
            func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &state.random) }
            if Int(number(0...3.99)) == 0, !state.phones[device].sent.isEmpty { return state.phones[device].sent }
            let seconds = Double(hours * 3600)
            let interval = number(0.5...max(seconds / Double(count), 1))
            let age = max(number(0...seconds), Double(count) * interval)
            var moment = now - .milliseconds(Int(age * 1000))
            var (east, north) = (number(-1500...1500), number(-1500...1500))
            return (0..<count).map { _ in
                moment = moment + .milliseconds(Int(interval * 1000))
                let area = plan.hasRules ? 400.0 : 1500
                let pace = number(0...1) < 0.5 ? 0 : min(interval, 60) * (plan.hasRules ? 1.5 : 12)
                east = min(max(east + number(-1...1) * pace, -area), area)
                north = min(max(north + number(-1...1) * pace, -area), area)
                return Location(
                    deviceID: DeviceID("device-\(device)"), timestamp: moment,
                    coordinate: Self.plane.unproject(east: east, north: north), horizontalAccuracy: number(3...60))
            }.filter { $0.timestamp < now }
        }
    }

    /// Imports a file until the request has a success.
    func importFile(_ fixes: [Location], of device: Int) async {
        guard !fixes.isEmpty else { return }
        for attempt in 0..<400 {
            guard !Task.isCancelled else { return }
            guard let machine, machine.hasFailed == nil else {
                try? await time.sleep(for: .seconds(2))
                continue
            }
            noteSent(fixes)
            do {
                let id = "imp_\(random(0...Int.max))"
                guard try await machine.importFile(fixes, id: id) else { return }
                return acknowledge(fixes, refused: [], valid: Set(fixes.map { FixKey($0) }), device)
            } catch {
                try? await time.sleep(for: .seconds(min(1 << min(attempt, 8), 120)))
            }
        }
    }

    // MARK: Events

    /// Waits until no phone and no file is on its way, and all history is evaluated.
    ///
    /// - Returns: whether it is; true in worlds of other kinds.
    func settleHistory() async -> Bool {
        guard plan.kind == .history else { return true }
        var reason = ""
        for attempt in 0..<2000 {
            if let machine, machine.disk.isDead { await crash(.everything) }
            if let machine, machine.hasFailed == nil, state.withLock({ $0.busy }) == 0 {
                do {
                    var open: [DeviceID] = []
                    let isPoisoned = poisoned.withLock { $0 }
                    for number in 0..<Plan.deviceCount where DeviceID("device-\(number)") != isPoisoned {
                        let device = DeviceID("device-\(number)")
                        if try await machine.store.evaluation(of: device) != nil { open.append(device) }
                    }
                    let job = try await machine.store.nextImport()
                    let pairs = try await machine.store.nextProximityTask().map { [$0.deviceID] } ?? []
                    if open.isEmpty, pairs.isEmpty, job == nil { return true }
                    reason = "evaluations of \(open), pairs of \(pairs), import \(job?.id ?? "-")"
                } catch {
                    reason = "\(error)"
                }
            }
            try? await time.sleep(for: .seconds(attempt < 1000 ? 1 : 30))
        }
        report(.stuck("history is not evaluated after hours: \(reason)"))
        return false
    }

    /// Mends the program: the device that ended its process is evaluated, with what has come meanwhile.
    func releasePoisoned() async {
        poisoned.withLock { $0 = nil }
        for _ in 0..<300 {
            if let machine, machine.disk.isDead || machine.hasFailed != nil { await crash(.everything) }
            if let machine, let history = machine.history, machine.worker.readiness().isReady {
                do {
                    for item in try await machine.store.setAside() where !item.isReleased {
                        guard item.kind == .device, try await history.release(DeviceID(item.id)) else {
                            return report(.unexpected("\(item.kind) \(item.id) is set aside and cannot be released"))
                        }
                    }
                    return
                } catch {
                    // The next attempt may have a success.
                }
            }
            try? await time.sleep(for: .seconds(1))
        }
        report(.stuck("what is set aside cannot be released"))
    }

    /// The events that hold must be those of an engine that gets all stored locations in the order of time.
    func compareHistory(_ machine: Machine) async throws {
        var filter = HistoryFilter()
        let stored = try await machine.store.events(filter, after: 0, limit: .max)
        filter.holdsOnly = true
        let held = try await machine.store.events(filter, after: 0, limit: .max)
        let (erased, erasures, sent) = state.withLock { ($0.erased, $0.erasures, $0.sent) }
        try compareNumbers(stored, erased: Set(erased.keys))
        if plan.hasRules { try await comparePairs(held.map(\.event), machine) }
        for number in 0..<Plan.deviceCount {
            let device = DeviceID("device-\(number)")
            // An erasure that had no success leaves a part.
            guard erased[device] == nil || erasures.contains(device) else { continue }
            let fixes = try await machine.store.locations(of: device, from: nil, to: nil, after: nil, limit: .max)
                .map(\.location)
            if let erasure = erased[device] {
                for fix in fixes where sent[FixKey(fix)].map({ $0.last < erasure - Self.flight }) ?? false {
                    throw Violation.unexpected(
                        "the fix of \(device) at \(fix.timestamp.rfc3339) is stored after the device was erased")
                }
            }
            // Its events wait.
            guard poisoned.withLock({ $0 }) != device else { continue }
            let events = held.map(\.event).filter {
                $0.deviceID == device && $0.origin != .retraction && !$0.type.hasPrefix("proximity.")
            }
            try compare(events, with: fixes, of: device, machine)
        }
    }

    private func compare(
        _ events: [NewEvent], with fixes: [Location], of device: DeviceID, _ machine: Machine
    ) throws {
        var settings = machine.monitor
        settings.reorderWindow = .zero
        var engine = MonitorEngine(machine.worker.regions(), settings: settings)
        var wanted: [String: Int] = [:]
        func text(_ type: String, _ region: RegionID?, _ time: Timestamp, _ detected: Timestamp?) -> String {
            "\(type) \(region?.rawValue ?? "-") at \(time.rfc3339), detected at \(detected?.rfc3339 ?? "-")"
        }
        func line(_ event: Event) -> String {
            text(
                event.occurrence.type.rawValue, event.occurrence.region?.id, event.timestamp, event.detectedAt)
        }
        for fix in fixes.sorted(by: { $0.timestamp < $1.timestamp }) {
            _ = try engine.accept(fix, now: fix.timestamp) { wanted[line($0), default: 0] += 1 }
        }
        // The clock fires deadlines of a device only while it is live.
        var possible: [String: Int] = [:]
        try engine.advanceClock(to: machine.clock.now()) { possible[line($0), default: 0] += 1 }
        for event in events {
            let line = text(event.type, event.regionID, event.timestamp, event.detectedAt)
            if let count = wanted[line], count > 0 {
                wanted[line] = count - 1
            } else if let count = possible[line], count > 0 {
                possible[line] = count - 1
            } else {
                throw Violation.unexpected(
                    "\(event.id) of \(device) holds, \(line) (\(event.origin)), but the locations give no such event")
            }
        }
        if let missing = wanted.first(where: { $0.value > 0 })?.key {
            throw Violation.lost("\(missing) of \(device) follows from its locations and does not hold")
        }
    }

    /// The numbers of a device's events have no gap, and no id is used twice.
    private func compareNumbers(_ stored: [StoredEvent], erased: Set<DeviceID>) throws {
        var numbers: [DeviceID: Set<Int>] = [:]
        var ids: Set<String> = []
        for item in stored {
            guard ids.insert(item.event.id).inserted else {
                throw Violation.doubled("event \(item.event.id) is stored twice")
            }
            // An erasure takes the events of others that name the device too.
            guard let device = item.event.deviceID, !erased.contains(device), erased.isEmpty || !plan.hasRules
            else { continue }
            guard let number = item.event.message?.sequence, numbers[device, default: []].insert(number).inserted
            else { throw Violation.doubled("the number of \(item.event.id) of \(device) is used twice") }
        }
        for (device, found) in numbers where found.max() != found.count {
            throw Violation.lost("the events of \(device) have \(found.count) numbers up to \(found.max() ?? 0)")
        }
        for item in stored {
            if let next = item.event.supersededBy, !ids.contains(next) {
                throw Violation.lost("\(item.event.id) is superseded by \(next), which is not stored")
            }
        }
    }

    // MARK: Messages

    /// An endpoint with history and corrections gets every event; others get live ones only, and in order where asked.
    func compareHistoryMessages(
        _ stored: [StoredEvent], _ accepted: Set<String>, _ arrivals: [SimulatedNetwork.Arrival]
    ) throws {
        // What happened after all is stored, and sent, under the id of a further revision.
        let causes = Dictionary(grouping: stored, by: { $0.event.cause ?? $0.event.id }).mapValues {
            $0.map(\.event.id)
        }
        let (erased, endpoints) = state.withLock { ($0.erased, $0.endpoints) }
        var order: [String: (index: Int, event: NewEvent)] = [:]
        // After an erasure the same locations can give the same event again, as another kind.
        var live: Set<String> = []
        let end = time.now - .seconds(3600)
        for entry in journal.entries {
            for event in entry.commit.events {
                if event.origin == .live { live.insert(event.id) }
                guard order[event.id] == nil else { continue }
                order[event.id] = (order.count, event)
                guard let since = endpoints["endpoint-0"], entry.time > since, entry.time < end,
                    event.deviceID.map({ erased[$0] == nil }) ?? true,
                    !(causes[event.cause ?? event.id] ?? [event.id]).contains(where: {
                        accepted.contains("endpoint-0 \($0)")
                    }),
                    network.attempts(to: "endpoint-0", of: event.id) < RetrySchedule.standard.maximumAttempts
                else { continue }
                throw Violation.undelivered("event \(event.id) (\(event.origin)) never got to endpoint-0")
            }
        }
        var last: [DeviceID: Int] = [:]
        var seen: Set<String> = []
        let isStable = !plan.steps.contains { if case .endpoint(1, _) = $0.step { true } else { false } }
        for arrival in arrivals where arrival.endpoint != "endpoint-0" {
            guard let (index, event) = order[arrival.id] else {
                guard erased.isEmpty, arrival.body.contains("\"type\":\"region.") else { continue }
                throw Violation.doubled("\(arrival.endpoint) got \(arrival.id), which is no event")
            }
            guard live.contains(event.id) else {
                throw Violation.unexpected("\(arrival.endpoint) got \(arrival.id) of the past (\(event.origin))")
            }
            guard isStable, arrival.endpoint == "endpoint-1", arrival.isAccepted, let device = event.deviceID,
                erased[device] == nil, seen.insert(arrival.id).inserted
            else { continue }
            guard last[device] ?? -1 < index else {
                throw Violation.undelivered("endpoint-1 got \(arrival.id) of \(device) out of order")
            }
            last[device] = index
        }
    }
}

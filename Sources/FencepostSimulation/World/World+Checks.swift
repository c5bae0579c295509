import FencepostEngine
import FencepostModel
import FencepostService
import FencepostStore
import FencepostWebhooks
import Foundation
import Synchronization

/// The comparisons of the database and of the receivers with the model.
extension World {
    /// How much later or earlier than promised retention may remove something: its guard counts in days.
    private static let tolerance = Duration.seconds(86_400)
    /// How old a message is at least whose delivery is checked.
    private static let deliveryTime = Duration.seconds(3600)

    /// Waits until the service works, and compares the database with the journal and with the oracle.
    func check() async {
        guard await readyMachine() != nil, await settleHistory(), let machine = await readyMachine() else { return }
        do {
            try await compare(machine)
        } catch let violation as Violation {
            report(violation)
        } catch {
            // A fault is still set, or the disk has died in between.
            if machine.disk.faultCount == 0, !machine.disk.isDead { report(.unexpected("a read failed: \(error)")) }
        }
    }

    /// The machine when it is ready; `nil` with a violation when it does not become so.
    private func readyMachine() async -> Machine? {
        for attempt in 0..<300 {
            if let machine, machine.hasFailed != nil || machine.disk.isDead { await crash(.everything) }
            if let machine, machine.hasFailed == nil, machine.worker.readiness().isReady,
                machine.clock.status().isBelievable
            {
                return machine
            }
            try? await time.sleep(for: .seconds(attempt < 100 ? 1 : 60))
        }
        report(.stuck("the service does not become ready: \(machine?.worker.readiness().reason ?? "no machine")"))
        return nil
    }

    private func compare(_ machine: Machine) async throws {
        let problems = try await machine.store.integrityProblems()
        guard problems.isEmpty else { throw Violation.damaged(problems.joined(separator: "; ")) }
        // What is being written now is not compared.
        let entries = journal.entries
        try await compareFixes(entries, machine)
        switch plan.kind {
        case .days, .months: try await compareEvents(machine, through: entries.count)
        case .history: try await compareHistory(machine)
        }
    }

    // MARK: Fixes

    private func compareFixes(_ entries: [Journal.Entry], _ machine: Machine) async throws {
        let kept = Duration.seconds(plan.retentionHours * 3600) - Self.tolerance
        let sent = state.withLock { $0.sent }
        var written: [DeviceID: [FixKey: Timestamp]] = [:]
        for entry in entries {
            for device in entry.change?.removedDevices ?? [] { written[device] = nil }
            for stored in entry.commit.locations + entry.commit.imported.joined() {
                let key = FixKey(stored.location)
                // After a power loss that is replayed, the phones are those of another world.
                guard sent.isEmpty || sent[key]?.forms.contains(stored.location) == true else {
                    throw Violation.unexpected("nobody sent what is logged: \(stored.location)")
                }
                // What has expired is not known any more.
                let before = written[key.deviceID, default: [:]].updateValue(entry.time, forKey: key)
                if let before, entry.time - before < kept {
                    throw Violation.doubled("a fix of \(key.deviceID) at \(key.timestamp.rfc3339) is logged twice")
                }
            }
        }
        let (acknowledged, erased, now) = state.withLock { ($0.acknowledged, $0.erased, time.now) }
        for (key, moment) in acknowledged.sorted(by: { $0.value < $1.value }) {
            if written[key.deviceID]?[key] == nil, !plan.isRelaxed || journal.truncations == 0,
                erased[key.deviceID] == nil
            {
                throw Violation.lost(
                    "the fix of \(key.deviceID) at \(key.timestamp.rfc3339), acknowledged at \(moment.rfc3339), "
                        + "is not in the log")
            }
        }
        for device in written.keys.sorted(by: { $0.rawValue < $1.rawValue }) where erased[device] == nil {
            let stored = try await machine.store.locations(of: device, from: nil, to: nil, after: nil, limit: .max)
            var found: Set<FixKey> = []
            for fix in stored where !found.insert(FixKey(fix.location)).inserted {
                throw Violation.doubled("a fix of \(device) at \(fix.location.timestamp.rfc3339) is stored twice")
            }
            for (key, moment) in written[device] ?? [:] where now - moment < kept && !found.contains(key) {
                throw Violation.lost(
                    "the fix of \(device) at \(key.timestamp.rfc3339), written at \(moment.rfc3339), is not in the "
                        + "history at \(now.rfc3339)")
            }
        }
    }

    // MARK: Events

    private func compareEvents(_ machine: Machine, through count: Int) async throws {
        let stored = try await machine.store.events(HistoryFilter(), after: 0, limit: .max)
        let (expected, removals) = try oracle.withLock { box in
            if !box.isComplete { try box.oracle.follow(journal.prefix(count)) }
            return (box.oracle.events.filter { $0.position <= count }, box.oracle.removals)
        }
        let (erased, now) = state.withLock { ($0.erased, time.now) }
        let kept = Duration.seconds(plan.retentionHours * 3600) - Self.tolerance
        var events: [String: NewEvent] = [:]
        // Those of pairs may have the id of a further revision.
        var ids: [String: String] = [:]
        for item in stored where item.event.deviceID != nil {
            guard events.updateValue(item.event, forKey: item.event.id) == nil else {
                throw Violation.doubled("event \(item.event.id) is stored twice")
            }
            if plan.hasRules, let device = item.event.deviceID, let number = item.event.message?.sequence,
                ids.updateValue(item.event.id, forKey: "\(device) \(number)") != nil
            {
                throw Violation.doubled("number \(number) of \(device) is used twice, by \(item.event.id)")
            }
        }
        let erasures = state.withLock { $0.erasures }
        var order: [String] = []
        for event in expected {
            let id = event.other == nil ? event.id : ids["\(event.deviceID) \(event.sequence)"] ?? event.id
            // With a device that is erased, the events of others that name it are.
            if let other = event.other, event.position <= removals[other] ?? 0 {
                guard let found = events[id], event.agrees(with: found) else { continue }
                events[id] = nil
                order.append(id)
                guard erasures.contains(other), event.type != "event.retracted" else { continue }
                throw Violation.unexpected("event \(id) of \(event.deviceID) survived the erasure of \(other)")
            }
            // The same fixes give the same event again after an erasure.
            if event.position <= removals[event.deviceID] ?? 0 {
                guard erasures.contains(event.deviceID), events[event.id] != nil,
                    !expected.contains(where: { $0.id == event.id && $0.position > event.position })
                else { continue }
                throw Violation.unexpected("event \(event.id) of \(event.deviceID) survived the erasure")
            }
            guard let found = events.removeValue(forKey: id) else {
                // What was emitted before an erasure is gone, and what came during it may be.
                let isErased = erased[event.deviceID] != nil || event.other.map { erased[$0] != nil } ?? false
                if isErased || now - event.time >= kept { continue }
                throw Violation.lost(
                    "event \(event.id) (\(event.type) of \(event.deviceID), number \(event.sequence)) of commit "
                        + "\(event.position) is not stored")
            }
            guard event.agrees(with: found) else {
                throw Violation.unexpected(
                    "event \(event.id), \(event.type) \(event.other?.rawValue ?? "") number \(event.sequence) at "
                        + "\(event.timestamp.rfc3339), differs from the oracle's: \(found.body)")
            }
            order.append(id)
        }
        // An erasure that had no success leaves a part.
        if let extra = events.values.first(where: { $0.deviceID.map { removals[$0] == nil } ?? false }) {
            // Commits that were written since the journal was read.
            let isNew = journal.count > count
            if !isNew {
                throw Violation.unexpected("event \(extra.id) is stored, but the oracle has none: \(extra.body)")
            }
        }
        let known = Set(order)
        let storedOrder = stored.map(\.event.id).filter { known.contains($0) }
        guard storedOrder == order else { throw Violation.unexpected("events are not stored in the order of the log") }
    }

    // MARK: Deliveries

    /// At the end: every message has an outcome, and the receivers have what they were promised.
    func checkDeliveries() async {
        guard let machine = await readyMachine() else { return }
        do {
            try await compareDeliveries(machine)
        } catch let violation as Violation {
            report(violation)
        } catch {
            report(.unexpected("deliveries cannot be read: \(error)"))
        }
    }

    private func compareDeliveries(_ machine: Machine) async throws {
        let rows = try await machine.store.deliveries(endpoint: nil, status: nil, event: nil, after: 0, limit: .max)
        let arrivals = network.arrivals
        let accepted = Set(arrivals.filter(\.isAccepted).map { "\($0.endpoint) \($0.id)" })
        for (_, row) in rows {
            let message = "\(row.pending.endpointID) \(row.pending.eventID)"
            switch row.status {
            case .delivered:
                guard accepted.contains(message) else {
                    throw Violation.lost("message \(message) counts as delivered, but the receiver has not got it")
                }
            case .exhausted:
                // A disabled endpoint gives its messages up at once; the first one is never disabled.
                guard
                    row.pending.endpointID != "endpoint-0"
                        || network.attempts(to: row.pending.endpointID, of: row.pending.eventID)
                            >= RetrySchedule.standard.maximumAttempts
                else {
                    throw Violation.undelivered("message \(message) was given up before its last attempt")
                }
            // No endpoint of a world has a maximum age.
            case .cancelled, .expired, .suppressed: break
            case .pending:
                let endpoint = try await machine.store.endpoint(id: row.pending.endpointID)?.endpoint
                // A silent device's event may come just now.
                guard endpoint?.isActive ?? false, time.now - row.pending.createdAt > Self.deliveryTime else { break }
                throw Violation.stuck(
                    "message \(message) is pending, two days after everything works again; due "
                        + "\(row.pending.due.rfc3339), \(row.pending.attempts) attempts")
            }
        }
        switch plan.kind {
        case .days, .months: try await compareMessages(machine, accepted, arrivals)
        case .history:
            try compareHistoryMessages(
                try await machine.store.events(HistoryFilter(), after: 0, limit: .max), accepted, arrivals)
        }
    }

    private func compareMessages(
        _ machine: Machine, _ accepted: Set<String>, _ arrivals: [SimulatedNetwork.Arrival]
    ) async throws {
        let (erased, endpoints) = state.withLock { ($0.erased, $0.endpoints) }
        let expected = oracle.withLock { $0.oracle.events }
        // What was committed since the last comparison of events may be delivered already.
        let last = expected.last?.position ?? 0
        let newest = journal.entries.filter { $0.commit.position > last }.flatMap { $0.commit.events.map(\.id) }
        let ids = Set(expected.map(\.id)).union(newest)
        // The first endpoint works in the end and was never disabled.
        if let since = endpoints["endpoint-0"], journal.truncations == 0 {
            let end = time.now - Self.deliveryTime
            for event in expected
            where event.time > since && event.time < end && erased[event.deviceID] == nil && !event.isQuiet
                && event.other.map({ erased[$0] == nil }) ?? true
            {
                // A flaky one may refuse all attempts.
                guard
                    accepted.contains("endpoint-0 \(event.id)")
                        || network.attempts(to: "endpoint-0", of: event.id) >= RetrySchedule.standard.maximumAttempts
                else {
                    throw Violation.undelivered("event \(event.id) of commit \(event.position) never got to endpoint-0")
                }
            }
        }
        if journal.truncations == 0, erased.isEmpty {
            for arrival in arrivals
            where ["region.", "plan."].contains(where: { arrival.body.contains("\"type\":\"\($0)") })
                && !ids.contains(arrival.id)
            {
                throw Violation.doubled("receivers got \(arrival.id), which is no event: \(arrival.body.prefix(200))")
            }
        }
        try compareOrder(expected, arrivals, erased)
    }

    /// An ordered endpoint gets the messages of a device in their order, each for the first time.
    private func compareOrder(
        _ expected: [Oracle.Emitted], _ arrivals: [SimulatedNetwork.Arrival], _ erased: [DeviceID: Timestamp]
    ) throws {
        let numbers = Dictionary(
            expected.enumerated().map { ($0.element.id, (index: $0.offset, device: $0.element.deviceID)) },
            uniquingKeysWith: { first, _ in first })
        var last: [DeviceID: Int] = [:]
        var seen: Set<String> = []
        guard !plan.steps.contains(where: { if case .endpoint(1, _) = $0.step { true } else { false } }) else { return }
        for arrival in arrivals where arrival.endpoint == "endpoint-1" && arrival.isAccepted {
            guard let number = numbers[arrival.id], erased[number.device] == nil, seen.insert(arrival.id).inserted
            else { continue }
            guard last[number.device] ?? -1 < number.index else {
                throw Violation.undelivered("endpoint-1 got \(arrival.id) of \(number.device) out of order")
            }
            last[number.device] = number.index
        }
    }
}

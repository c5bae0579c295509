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

extension World {
    /// Performs a step. Requests of phones go on after it.
    func perform(_ step: Step) async {
        switch step {
        case .send(let device, let count, let sending): send(from: device, count, sending)
        case .wait(let seconds): await pause(.seconds(seconds))
        case .importFile(let device, let count, let hours):
            let fixes = makeHistory(device, count, hours)
            spawn { await self.importFile(fixes, of: device) }
        case .editRegions(let seed): spawn { await self.editRegions(seed) }
        case .editRules(let seed): spawn { await self.editRules(seed) }
        case .endpoint(let number, let change): await changeEndpoint(number, change)
        case .receiver(let number, let behaviour):
            network.set(behaviour, of: "endpoint-\(number)")
        case .erase(let device): await erase(DeviceID("device-\(device)"))
        case .kill: await crash(.everything)
        case .losePower(let loss): await crash(loss)
        case .die(let operations, let loss):
            machine?.disk.die(after: operations)
            await pause(.seconds(random(1...6)))
            await crash(loss)
        case .restart(let crossing): await restart(crossing)
        case .fault(let fault, let seconds):
            machine?.disk.set(fault)
            await use(for: seconds)
            machine?.disk.set(nil)
        case .fillDisk(let seconds):
            machine?.disk.setFull(true)
            await use(for: seconds)
            machine?.disk.setFull(false)
        case .clock(let offset, let seconds):
            time.setWall(offBy: .seconds(offset))
            await use(for: seconds)
            time.setWall(offBy: .zero)
        case .startWithClock(let offset, let seconds):
            // Nothing contradicts a clock that is behind before the first fix is stored.
            guard offset > 0 || state.withLock({ !$0.acknowledged.isEmpty }) else { return }
            time.setWall(offBy: .seconds(offset))
            await restart(nil)
            await use(for: seconds)
            time.setWall(offBy: .zero)
            // A clock that was ahead stays in the service's time until a restart.
            if offset > 0 { await restart(nil) }
        case .maintain:
            guard let machine else { return }
            _ = try? await machine.store.maintain(at: machine.clock.now(), isForced: true)
        case .check: await check()
        }
    }

    /// Lets phones send while something is wrong.
    private func use(for seconds: Int) async {
        for _ in 0..<3 {
            send(from: random(0...Plan.deviceCount - 1), random(1...12), .fresh)
            await pause(.seconds(seconds / 3))
        }
    }

    private func spawn(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.busy += 1 }
        let task = Task(executorPreference: executor) {
            await body()
            self.state.withLock { $0.busy -= 1 }
        }
        state.withLock { $0.sending.append(task) }
    }

    // MARK: Phones

    private func send(from device: Int, _ count: Int, _ sending: Step.Sending) {
        let fixes = makeFixes(device, count, sending)
        guard !fixes.isEmpty else { return }
        spawn { await self.deliver(fixes, from: device) }
    }

    private func makeFixes(_ device: Int, _ count: Int, _ sending: Step.Sending) -> [Location] {
        let now = time.now
        return state.withLock { state -> [Location] in
            var phone = state.phones[device]
            defer { state.phones[device] = phone }
            func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &state.random) }
            if sending == .repeated, let first = phone.sent.indices.randomElement(using: &state.random) {
                return Array(phone.sent[first...].prefix(count))
            }
            let isLate = sending == .late
            let seconds: Int = [2, 10, 60].randomElement(using: &state.random) ?? 10
            let interval = Double(seconds)
            var moment: Timestamp = now - .seconds(seconds * count)
            moment = isLate ? moment - .seconds(Int(number(600...200_000))) : max(moment, phone.last)
            var fixes: [Location] = []
            for _ in 0..<count {
                moment = min(moment + .seconds(seconds), max(now, moment + .milliseconds(1)))
                let (pace, area) = plan.hasRules ? (1.5, 400.0) : (12, 1500)
                phone.east = min(max(phone.east + number(-pace...pace) * interval, -area), area)
                phone.north = min(max(phone.north + number(-pace...pace) * interval, -area), area)
                var fix = Location(
                    deviceID: DeviceID("device-\(device)"), timestamp: moment,
                    coordinate: Self.plane.unproject(east: phone.east, north: phone.north),
                    horizontalAccuracy: number(3...60))
                switch Int(number(0...3.99)) {
                case 0: fix.speed = number(0...20)
                case 1: fix.speed = 0
                default: break
                }
                fixes.append(fix)
            }
            if !isLate { phone.last = max(phone.last, moment) }
            switch sending {
            case .fresh, .late, .repeated: break
            case .shuffled: fixes.shuffle(using: &state.random)
            case .withRejected:
                for index in fixes.indices where Int(number(0...2.99)) == 0 {
                    fixes[index].timestamp =
                        [Timestamp(seconds: 0), now + .seconds(10 * 86_400)]
                        .randomElement(using: &state.random) ?? now
                }
            }
            return fixes
        }
    }

    /// Sends a request until it has a success, and notes what was promised with it.
    private func deliver(_ fixes: [Location], from device: Int) async {
        let isValid: Set<FixKey> = Set(
            fixes.filter { $0.timestamp > Timestamp(seconds: 946_684_800) && $0.timestamp <= time.now + .seconds(600) }
                .map { FixKey($0) })
        var isRepeated = false
        for attempt in 0..<400 {
            guard !Task.isCancelled else { return }
            guard let machine, machine.hasFailed == nil else {
                try? await time.sleep(for: .seconds(2))
                continue
            }
            noteSent(fixes)
            do {
                let refused = try await machine.submit(fixes)
                acknowledge(fixes, refused: refused, valid: isValid, device)
                // The response may get lost on its way.
                if isRepeated || random(0...15) > 0 { return }
                isRepeated = true
            } catch {
                try? await time.sleep(for: .seconds(min(1 << min(attempt, 8), 120)))
            }
        }
    }

    func noteSent(_ fixes: [Location]) {
        let now = time.now
        state.withLock { state in
            for fix in fixes {
                state.sent[FixKey(fix), default: ([], now)].forms.insert(fix)
                state.sent[FixKey(fix)]?.last = now
            }
        }
    }

    func acknowledge(_ fixes: [Location], refused: [Location], valid: Set<FixKey>, _ device: Int) {
        let now = time.now
        let wrong = refused.map { FixKey($0) }.filter { valid.contains($0) }
        if let first = wrong.first {
            report(
                .refused(
                    "\(wrong.count) fix(es) of the present were refused for their time under a success, "
                        + "the first of \(first.timestamp.rfc3339)"))
        }
        let refused = Set(refused.map { FixKey($0) })
        state.withLock { state in
            state.acknowledgements += fixes.count
            for fix in fixes where !refused.contains(FixKey(fix)) {
                state.acknowledged[FixKey(fix)] = now
                if valid.contains(FixKey(fix)) { state.phones[device].sent.append(fix) }
            }
            let count = state.phones[device].sent.count
            if count > 200 { state.phones[device].sent.removeFirst(count - 200) }
        }
    }

    // MARK: Regions, endpoints, devices

    func editRegions(_ seed: UInt64) async {
        for _ in 0..<20 {
            guard let machine else { return }
            let result = try? await machine.worker.editRegions { catalog in Self.edit(of: catalog, seed) }
            if result != nil || Task.isCancelled { return }
            try? await time.sleep(for: .seconds(3))
        }
    }

    /// Some new, replaced and removed regions; many at a time in a tenth of the edits, which are staged then.
    private static func edit(of catalog: RegionCatalog, _ seed: UInt64) -> RegionEdit {
        var random = SplitMix64(seed: seed)
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        let count = number(0...1) < 0.1 ? 70 : Int(number(1...4.99))
        var edit = RegionEdit()
        for _ in 0..<count {
            let id = RegionID("region-\(Int(number(0...(count > 10 ? 90 : 7.99))))")
            guard !edit.changed.contains(where: { $0.id == id }), !edit.removed.contains(id) else { continue }
            if number(0...1) < 0.2, catalog.handle(for: id).flatMap({ catalog[$0] }) != nil {
                edit.removed.append(id)
                continue
            }
            var region = Region(
                id: id,
                shape: .circle(
                    Circle(
                        center: plane.unproject(east: number(-1200...1200), north: number(-1200...1200)),
                        radius: number(50...700))))
            if number(0...1) < 0.4 { region.dwells = [.seconds(60), .seconds(900)] }
            if number(0...1) < 0.3 { region.crossing = CrossingMode.allCases.randomElement(using: &random) }
            if number(0...1) < 0.1 { region.devices = [GlobPattern("device-[01]")] }
            edit.changed.append(region)
        }
        return edit
    }

    func addEndpoint(_ number: Int, isOrdered: Bool) async {
        guard let machine else { return }
        let id = "endpoint-\(number)"
        var endpoint = Endpoint(
            id: id, url: "https://receiver.example/\(number)",
            secrets: [Endpoint.Secret("whsec_MDEyMzQ1Njc4OWFiY2RlZg==")],
            createdAt: machine.clock.now())
        endpoint.isOrdered = isOrdered
        (endpoint.history, endpoint.corrections) = (
            plan.kind == .history && number == 0, plan.kind == .history && number == 0
        )
        for _ in 0..<30 {
            guard let machine = self.machine else { return }
            do {
                try await machine.store.save(endpoint)
                try await machine.dispatcher.reloadEndpoints()
                state.withLock { $0.endpoints[id] = time.now }
                return
            } catch {
                try? await time.sleep(for: .seconds(2))
            }
        }
    }

    private func changeEndpoint(_ number: Int, _ change: Step.EndpointChange) async {
        guard let machine else { return }
        let id = "endpoint-\(number)"
        switch change {
        case .add(let isOrdered): await addEndpoint(number, isOrdered: isOrdered)
        case .remove:
            state.withLock { $0.endpoints[id] = nil }
            _ = try? await machine.store.removeEndpoint(id: id)
            try? await machine.dispatcher.reloadEndpoints()
        case .enable:
            guard var found = try? await machine.store.endpoint(id: id)?.endpoint, !found.isActive else { return }
            found.state = .active
            try? await machine.store.save(found)
            try? await machine.dispatcher.reloadEndpoints()
        }
    }

    /// Erases a device as the API does: its state, then its history.
    private func erase(_ device: DeviceID) async {
        state.withLock { state in
            state.erasures.remove(device)
            state.erased[device] = time.now
            state.acknowledged = state.acknowledged.filter { $0.key.deviceID != device }
        }
        for _ in 0..<20 {
            do {
                guard let machine = self.machine else { return }
                _ = try await machine.worker.forget(device)
                try await machine.store.erase(device)
                try await machine.dispatcher.reloadEndpoints()
                state.withLock { _ = $0.erasures.insert(device) }
                return
            } catch {
                // The caller repeats the request, since it had no success.
                try? await time.sleep(for: .seconds(10))
            }
        }
    }
}

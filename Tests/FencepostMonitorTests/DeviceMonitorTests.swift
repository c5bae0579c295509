import FencepostModel
import FencepostMonitor
import FencepostTesting
import Foundation
import Testing

@Suite("Device monitor") struct DeviceMonitorTests {
    @Test("gives the events in its timeline", arguments: try Timeline.all())
    func replays(_ timeline: Timeline) throws {
        let replayed = try timeline.replay()
        if ProcessInfo.processInfo.environment["FENCEPOST_REWRITE"] != nil {
            try replayed.write(
                to: Timeline.folder.appending(path: timeline.name), atomically: true, encoding: .utf8)
        }
        #expect(replayed == timeline.text)
    }

    @Test("gives the same events after a snapshot is restored", arguments: try Timeline.all())
    func restarts(_ timeline: Timeline) throws {
        #expect(try timeline.replay(restarting: true) == timeline.text)
    }

    @Test("never reports two entries or two exits of a region in a row", arguments: 1...60 as ClosedRange<UInt64>)
    func alternates(seed: UInt64) throws {
        for crossing in CrossingMode.allCases {
            let lines = try RandomWalk(seed: seed, crossing: crossing).events()
            for region in ["a", "b"] {
                let kinds = lines.filter { $0.hasSuffix(" \(region)") }.compactMap {
                    $0.split(separator: " ").dropLast().last
                }
                #expect(zip(kinds, kinds.dropFirst()).allSatisfy { $0 != $1 }, "\(crossing) seed \(seed): \(lines)")
            }
        }
    }

    @Test("sorts fixes that arrive out of order within the reorder window", arguments: 1...40 as ClosedRange<UInt64>)
    func sorts(seed: UInt64) throws {
        var walk = RandomWalk(seed: seed, crossing: .raw)
        walk.window = 60
        let inOrder = try walk.events()
        walk.shufflesWithin = 55
        #expect(try walk.events() == inOrder)
    }
}

/// A random walk along a street with two regions.
struct RandomWalk {
    let seed: UInt64
    let crossing: CrossingMode
    var window = 0
    /// The maximum delay of an arrival, in seconds.
    var shufflesWithin = 0

    init(seed: UInt64, crossing: CrossingMode) {
        self.seed = seed
        self.crossing = crossing
    }

    func events() throws -> [String] {
        var random = SeededGenerator(seed: seed)
        var street = Street()
        var lines = try street.take(["set", "crossing", crossing.rawValue])
        _ = try street.take(["set", "cushion", "40"])
        _ = try street.take(["set", "reorderWindow", String(window)])
        _ = try street.take(["region", "a", "0", "r=80"])
        _ = try street.take(["region", "b", "300", "r=150"])
        var position = Double.random(in: -300...600, using: &random)
        var fixes: [(time: Int, arrival: Int, line: [String])] = []
        var time = 0
        for _ in 0..<300 {
            position = min(max(position + .random(in: -60...60, using: &random), -400), 700)
            time += Int.random(in: 1...40, using: &random)
            let accuracy = Int.random(in: 5...60, using: &random)
            let measured = position + Double.random(in: -1...1, using: &random) * Double(accuracy)
            fixes.append((time, time, [String(time), "at", String(measured.rounded()), "acc=\(accuracy)"]))
        }
        if shufflesWithin > 0 {
            for index in fixes.indices { fixes[index].arrival += Int.random(in: 0...shufflesWithin, using: &random) }
            fixes.sort { ($0.arrival, $0.time) < ($1.arrival, $1.time) }
        }
        for fix in fixes { lines += try street.take(fix.line) }
        return lines + (try street.take(["end"]))
    }
}

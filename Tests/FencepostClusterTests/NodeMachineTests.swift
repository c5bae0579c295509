import FencepostCluster
import Foundation
import Testing

@Suite("A node's machine") struct NodeMachineTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Dialogues")

    private static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".txt") }
        .sorted()

    @Test("answers as its dialogues say", arguments: names) func dialogue(_ name: String) throws {
        let file = Self.folder.appending(path: name)
        let text = try String(contentsOf: file, encoding: .utf8)
        var dialogue = NodeDialogue()
        let answered = try dialogue.answered(text)
        if ProcessInfo.processInfo.environment["FENCEPOST_REWRITE"] != nil {
            try Data(answered.utf8).write(to: file)
        }
        #expect(answered == text, "FENCEPOST_REWRITE=1 make test FILTER=NodeMachineTests writes it")
    }

    @Test("asks only for what can be done, in 4000 random lives, and ends when it is asked to") func lives() {
        var leaderships = 0
        for seed in 0..<UInt64(4000) {
            var world = NodeWorld(seed: seed)
            for _ in 0..<200 where world.task != .end { world.step() }
            world.stop()
            var steps = 0
            while world.task != .end, steps < 100 {
                world.step()
                steps += 1
            }
            leaderships += world.leaderships
            #expect(world.faults.isEmpty, "seed \(seed): \(world.faults.prefix(3))")
            #expect(world.task == .end, "seed \(seed): \(world.machine.state), \(world.task)")
        }
        // Else the lives would say nothing of leaders.
        #expect(leaderships > 3000, "\(leaderships)")
    }

    @Test("has a dialogue for each transition that lives have") func coverage() throws {
        var written: Set<NodeTransition> = []
        for name in Self.names {
            var dialogue = NodeDialogue()
            _ = try dialogue.answered(String(contentsOf: Self.folder.appending(path: name), encoding: .utf8))
            written.formUnion(dialogue.transitions)
        }
        var lived: Set<NodeTransition> = []
        for seed in 0..<UInt64(4000) {
            var world = NodeWorld(seed: seed)
            for _ in 0..<200 where world.task != .end { world.step() }
            world.stop()
            for _ in 0..<100 where world.task != .end { world.step() }
            lived.formUnion(world.transitions)
        }
        let missing = lived.filter { $0.from != $0.to }.subtracting(written).map(\.description).sorted()
        #expect(missing.isEmpty, "no dialogue has: \(missing.joined(separator: "; "))")
    }
}

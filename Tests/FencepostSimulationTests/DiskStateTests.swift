import FencepostSimulation
import FencepostTesting
import Testing

@Suite("Simulated disk") struct DiskStateTests {
    private func disk() -> DiskState {
        var disk = DiskState()
        disk.apply(.create, to: "a")
        disk.apply(.write(offset: 0, bytes: Array("durable!".utf8)), to: "a")
        disk.apply(.sync, to: "a")
        disk.apply(.write(offset: 0, bytes: Array("DU".utf8)), to: "a")
        disk.apply(.write(offset: 6, bytes: Array("XYZ".utf8)), to: "a")
        return disk
    }

    private func text(_ disk: DiskState, _ loss: PowerLoss, seed: UInt64) -> String? {
        var random = SeededGenerator(seed: seed)
        return disk.surviving(loss, using: &random)["a"].map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("keeps what was synced, and of the rest what the kind of loss allows")
    func losses() {
        let disk = disk()
        #expect(text(disk, .nothing, seed: 1) == "durable!")
        #expect(text(disk, .everything, seed: 1) == "DUrablXYZ")
        let prefixes = Set((1...50 as ClosedRange<UInt64>).compactMap { text(disk, .prefix, seed: $0) })
        #expect(prefixes == ["durable!", "DUrable!", "DUrablXYZ"])
        let subsets = Set((1...50 as ClosedRange<UInt64>).compactMap { text(disk, .anySubset, seed: $0) })
        #expect(subsets == prefixes.union(["durablXYZ"]))
    }

    @Test("has a new file from its first sync on, and no deleted one after the next sync of any file")
    func names() {
        var disk = DiskState()
        disk.apply(.create, to: "new")
        disk.apply(.write(offset: 0, bytes: [1]), to: "new")
        var random = SeededGenerator(seed: 1)
        #expect(disk.surviving(.nothing, using: &random)["new"] == nil)
        disk.apply(.sync, to: "new")
        disk.apply(.delete, to: "new")
        let returns = (0..<40).map { _ in disk.surviving(.nothing, using: &random)["new"] != nil }
        #expect(Set(returns) == [true, false])
        disk.apply(.sync, to: "other")
        #expect((0..<40).allSatisfy { _ in disk.surviving(.nothing, using: &random)["new"] == nil })
    }

    @Test("tears writes at the boundaries of sectors only")
    func sectors() {
        var disk = DiskState(["a": [UInt8](repeating: 0, count: 2048)])
        disk.apply(.write(offset: 256, bytes: [UInt8](repeating: 1, count: 1536)), to: "a")
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            let bytes = disk.surviving(.tornSmall, using: &random)["a"] ?? []
            for part in [256..<512, 512..<1024, 1024..<1536, 1536..<1792] { #expect(Set(bytes[part]).count == 1) }
        }
    }
}

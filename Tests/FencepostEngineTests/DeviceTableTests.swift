import FencepostModel
import FencepostMonitor
import FencepostTesting
import Testing

@testable import FencepostEngine

@Suite("Device table") struct DeviceTableTests {
    private static func device(_ id: String, isLive: Bool = false) -> DeviceTable.Device {
        DeviceTable.Device(DeviceMonitor(deviceID: DeviceID(id), settings: MonitorSettings()), isLive: isLive)
    }

    private static func ids(_ table: DeviceTable) -> [String] { table.list.map(\.monitor.deviceID.rawValue) }

    @Test("numbers devices from 0 in the order of their addition") func adds() {
        var table = DeviceTable()
        #expect(table.index(of: DeviceID("a")) == nil)
        for (index, id) in ["b", "a", "c"].enumerated() { #expect(table.add(Self.device(id)) == index) }
        #expect(table.count == 3)
        #expect(table.index(of: DeviceID("a")) == 1)
        #expect(table.index(of: DeviceID("d")) == nil)
    }

    @Test("replaces a device that it has, and adds one that it has not") func sets() {
        var table = DeviceTable()
        #expect(table.set(Self.device("a")) == 0)
        #expect(table.set(Self.device("b")) == 1)
        #expect(table.set(Self.device("a", isLive: true)) == 0)
        #expect(table.count == 2)
        #expect(table.list[0].isLive && !table.list[1].isLive)
    }

    @Test("gives the index of a removed device to the last one") func removes() {
        var table = DeviceTable()
        for id in ["a", "b", "c"] { _ = table.add(Self.device(id)) }
        #expect(table.remove(DeviceID("a")) == 0)
        #expect(Self.ids(table) == ["c", "b"])
        #expect(table.index(of: DeviceID("c")) == 0)
        #expect(table.remove(DeviceID("a")) == nil)
        #expect(table.remove(DeviceID("b")) == 1)
        #expect(table.remove(DeviceID("c")) == 0)
        #expect(table.count == 0)
    }

    @Test("sorts the indices of several devices by id") func sorts() {
        var table = DeviceTable()
        for id in ["c", "a", "d", "b"] { _ = table.add(Self.device(id, isLive: id != "a")) }
        #expect(table.indices { $0.isLive } == [3, 0, 2])
        #expect(table.sorted([0, 1]) == [1, 0])
    }

    @Test("agrees with an array after any operations, also while it grows", arguments: 1...20 as ClosedRange<UInt64>)
    func agrees(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = DeviceTable()
        var model: [String] = []
        for _ in 0..<600 {
            let id = "device/\(Int.random(in: 0..<200, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let index = model.firstIndex(of: id)
                #expect(table.remove(DeviceID(id)) == index)
                if let index {
                    model.swapAt(index, model.count - 1)
                    model.removeLast()
                }
            default:
                let index = model.firstIndex(of: id) ?? model.count
                if index == model.count { model.append(id) }
                #expect(table.set(Self.device(id)) == index)
            }
        }
        #expect(Self.ids(table) == model)
        for number in 0..<200 {
            let id = "device/\(number)"
            #expect(table.index(of: DeviceID(id)) == model.firstIndex(of: id))
        }
    }
}

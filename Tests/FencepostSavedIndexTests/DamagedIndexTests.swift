import FencepostGeometry
import FencepostModel
import FencepostRegions
import FencepostTesting
import FencepostWorkload
import Foundation
import Testing

@testable import FencepostFiles
@testable import FencepostSavedIndex

@Suite("A damaged index")
struct DamagedIndexTests {
    private static func refusal(_ bytes: [UInt8]) throws -> SavedIndexError.Code? {
        do {
            _ = try SavedIndex(MappedFile(content: bytes), path: "a.index")
            return nil
        } catch let error as SavedIndexError {
            #expect(error.message.hasPrefix("a.index "))
            return error.code
        }
    }

    @Test("is refused with the reason")
    func reasons() throws {
        let bytes = try SavedFiles().bytes()
        #expect(try Self.refusal(bytes) == nil)
        #expect(try Self.refusal([]) == .noIndex)
        #expect(try Self.refusal(Array("{\"type\": \"FeatureCollection\"}".utf8)) == .noIndex)
        var swapped = bytes
        swapped.replaceSubrange(8..<16, with: bytes[8..<16].reversed())
        #expect(try Self.refusal(swapped) == .otherByteOrder)
        var later = bytes
        later[12] += 1
        #expect(try Self.refusal(later) == .otherVersion)
        for count in [63, 64, 100, 4096, bytes.count - 1] {
            #expect(try Self.refusal(Array(bytes.prefix(count))) == (count < 64 ? .noIndex : .damaged))
        }
        #expect(try Self.refusal(bytes + [0]) == .damaged)
        // The version of the program is the first text of the first section.
        var other = bytes
        let version = try #require(Data(bytes).range(of: Data(FencepostVersion.current.utf8)))
        other[version.lowerBound] += 1
        #expect(try Self.refusal(SavedHeader.withHashes(other)) == .otherVersion)
    }

    @Test("is noticed by any byte that is used")
    func bytes() throws {
        let bytes = try SavedFiles().bytes()
        let header = try SavedHeader(MappedFile(content: bytes), name: "a.index")
        var used = IndexSet(integersIn: 0..<64)
        used.remove(integersIn: 40..<64)
        used.insert(integersIn: 64..<SavedHeader.byteCount(sections: header.entries.count))
        for entry in header.entries {
            used.insert(integersIn: Int(entry.offset)..<Int(entry.offset + entry.byteCount))
        }
        var random = SplitMix64(seed: 1)
        let offsets = Array(used)
        for _ in 0..<400 {
            let offset = offsets[Int(random.next() % UInt64(offsets.count))]
            var flipped = bytes
            flipped[offset] ^= 1 << UInt8(random.next() % 8)
            #expect(try Self.refusal(flipped) != nil, "byte \(offset)")
        }
    }

    /// Somebody who changes the file can change its hashes too.
    @Test("does no harm with hashes that fit", arguments: 1...40 as ClosedRange<UInt64>)
    func hostile(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bytes = try SavedFiles().bytes(City(share: 0.01).regions(40, seed: seed))
        let header = try SavedHeader(MappedFile(content: bytes), name: "a.index")
        let points = (0..<60).map { _ in
            Coordinate(latitude: random.unit() * 180 - 90, longitude: random.unit() * 360 - 180)
        }
        var opened = 0
        for _ in 0..<40 {
            var changed = bytes
            for _ in 0...random.next() % 4 {
                // Each section is as likely as any other, whatever its size.
                let entry = header.entries[Int(random.next() % UInt64(header.entries.count))]
                guard entry.byteCount > 0 else { continue }
                let offset = Int(entry.offset + random.next() % entry.byteCount)
                switch random.next() % 3 {
                case 0: changed[offset] = UInt8(truncatingIfNeeded: random.next())
                case 1: changed[offset] ^= 1 << UInt8(random.next() % 8)
                default:
                    // A whole word that is far too large, or from somewhere else.
                    let word = offset / 4 * 4
                    let source = Int(random.next() % UInt64(bytes.count / 4)) * 4
                    for byte in 0..<4 where word + byte < changed.count {
                        changed[word + byte] = random.next() % 2 == 0 ? 0xFF : bytes[source + byte]
                    }
                }
            }
            guard let saved = try? SavedIndex(MappedFile(content: SavedHeader.withHashes(changed)), path: "a") else {
                continue
            }
            opened += 1
            try Self.use(saved.index, points)
        }
        // Otherwise nothing was tested.
        #expect(opened > 0)
    }

    /// Asks everything that a monitor asks; the answers may be wrong.
    private static func use(_ index: RegionIndex, _ points: [Coordinate]) throws {
        var query = RegionQuery(index)
        var regions: [Region] = []
        for (handle, region) in index.catalog.regions {
            regions.append(region)
            _ = try? query.width(of: handle)
            _ = index.catalog.handle(for: region.id)
            _ = region.schedule?.nextTransition(after: Timestamp(seconds: 1_790_000_000))
        }
        var random = SplitMix64(seed: 1)
        let points = points + QueryPoints(regions, &random).all.prefix(300)
        for point in points {
            _ = try? query.covering(point)
            var near: [Proximity] = []
            try? query.near(point, within: 50, into: &near)
            _ = query.safeRegion(around: point, searchRadius: 10)
        }
        var together = Coverings()
        try? query.covering(points, into: &together)
        for (start, end) in zip(points, points.dropFirst()) { _ = try? query.passThroughs(from: start, to: end) }
    }
}

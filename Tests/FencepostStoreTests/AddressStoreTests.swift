import FencepostGeometry
import FencepostModel
import FencepostService
import FencepostStore
import Testing

@Suite("Stored addresses") struct AddressStoreTests {
    @Test("are kept by source and rounded position, until they are too old") func addresses() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            let now = Timestamp(seconds: 1_772_355_600)
            let position = Coordinate(latitude: -38.71174, longitude: 9.13994)
            let key = AddressKey(source: "nominatim a", position: position)
            #expect(key.position == Coordinate(latitude: -38.7117, longitude: 9.1399))
            var place = GeocodedPlace(name: "Ä \"1\"", address: "Ä 1, Ort", position: position)
            place.southWest = Coordinate(latitude: -39, longitude: 9)
            #expect(try await store.address(key, storedAfter: .distantPast) == nil)
            try await store.save(.nothing, for: key, at: now, removingBefore: .distantPast)
            #expect(try await store.address(key, storedAfter: .distantPast) == .nothing)
            try await store.save(.place(place), for: key, at: now, removingBefore: .distantPast)
            #expect(try await store.address(key, storedAfter: now - .seconds(1)) == .place(place))
            #expect(try await store.address(key, storedAfter: now) == nil)
            let other = AddressKey(source: "nominatim b", position: position)
            #expect(try await store.address(other, storedAfter: .distantPast) == nil)
            try await store.save(.nothing, for: other, at: now + .seconds(9), removingBefore: now + .seconds(1))
            #expect(try await store.address(key, storedAfter: .distantPast) == nil)
        }
    }
}

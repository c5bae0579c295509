import FencepostService
import FencepostStore
import Testing

@Suite("The stored choice of the map") struct MapStoreTests {
    @Test("is the last one, also after a restart") func choice() async throws {
        let scratch = try Scratch()
        let address = try #require(MapTiles("https://tiles.example.org/{z}/{x}/{y}.png"))
        let choices = [
            MapChoice(tiles: .openStreetMap), MapChoice(tiles: .file("map.pmtiles")), MapChoice(tiles: .none),
            MapChoice(tiles: address, attribution: "© Somebody"),
        ]
        try await withStore(scratch) { store in
            let none = try await store.mapChoice()
            #expect(none == nil)
            for choice in choices {
                try await store.save(choice)
                let stored = try await store.mapChoice()
                #expect(stored == choice)
            }
        }
        let last = try await withStore(scratch) { store in try await store.mapChoice() }
        #expect(last == choices.last)
    }
}

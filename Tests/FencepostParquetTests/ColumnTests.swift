import Testing

@testable import FencepostParquet

@Suite("A column of Parquet") struct ColumnTests {
    @Test("has the least and the greatest value in its statistics, zeros with their signs") func ranges() {
        var numbers = NumberColumn<Double>(isOptional: true)
        for value in [0.0, nil, 3.5, .nan] as [Double?] { numbers.append(value) }
        let pages = numbers.pages
        #expect(pages.nulls == 1 && pages.values == 4)
        #expect(pages.range?.least == withUnsafeBytes(of: -0.0) { Array($0) })
        #expect(pages.range?.greatest == withUnsafeBytes(of: 3.5) { Array($0) })
        var nothing = NumberColumn<Double>()
        nothing.append(.nan)
        #expect(nothing.pages.range == nil)
    }

    @Test("has a dictionary where texts repeat, and compares texts by their bytes") func dictionaries() {
        var texts = TextColumn()
        for text in ["b", "ü", "b", "a", "b", "ü"] { texts.append(text) }
        let pages = texts.pages
        #expect(pages.dictionary?.count == 3 && pages.encoding == .dictionary)
        #expect(pages.range?.least == Array("a".utf8) && pages.range?.greatest == Array("ü".utf8))
        var unique = TextColumn()
        for number in 0..<100 { unique.append("evt_\(number)") }
        #expect(unique.pages.dictionary == nil && unique.pages.encoding == .plain)
        var long = TextColumn()
        long.append(String(repeating: "x", count: 257))
        #expect(long.pages.range == nil)
    }

    @Test("is empty again after its rows were written") func removal() {
        var lists = TextListColumn()
        lists.append(["a", "b"])
        lists.append([])
        #expect(lists.pages.values == 3 && lists.pages.nulls == 1)
        lists.removeAll()
        #expect(lists.pages.values == 0 && lists.pages.data == TextListColumn().pages.data)
    }

    @Test("boxes of geometries contain them, although they are of single precision") func boxes() {
        for value in stride(from: -179.999_999_9, through: 180, by: 0.731) {
            var column = GeometryColumn(.point)
            column.append(longitude: value, latitude: value / 2)
            let bounds = column.columns.dropFirst().compactMap { $0 as? NumberColumn<Float> }
            let (west, south, east, north) = (
                bounds[0].values[0], bounds[1].values[0], bounds[2].values[0], bounds[3].values[0]
            )
            #expect(Double(west) <= value && Double(east) >= value)
            #expect(Double(south) <= value / 2 && Double(north) >= value / 2)
            #expect(east - west <= 2 * value.magnitude.ulpOfSingle)
        }
    }

    @Test("the metadata have the box of all row groups, and none without geometries") func metadata() {
        var column = GeometryColumn(.point, isOptional: true)
        column.appendNull()
        #expect(!column.metadata.contains("\"bbox\":[-") && column.metadata.contains("\"geometry_types\":[]"))
        column.append(longitude: -2, latitude: 1)
        column.removeAll()
        column.append(longitude: 3, latitude: 0.5)
        #expect(column.metadata.contains("\"bbox\":[-2.0,0.5,3.0,1.0]"))
    }
}

extension Double {
    /// The distance between neighbouring numbers of single precision here.
    fileprivate var ulpOfSingle: Float { Float(self).ulp }
}

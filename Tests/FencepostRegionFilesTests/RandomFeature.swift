import FencepostTesting

/// A random valid region with any of the options, as JSON.
enum RandomFeature {
    static func json(using random: inout SeededGenerator) -> String {
        let (geometry, length) = geometry(using: &random)
        var members = [length].compactMap { $0 }
        for option in options where Bool.random(using: &random) && Bool.random(using: &random) {
            members.append(option.randomElement(using: &random) ?? "")
        }
        // Properties that the geometry does not use are passed through, unless they are null.
        if length == nil, Bool.random(using: &random) { members.append(#""width":12"#) }
        if length == nil, Bool.random(using: &random) { members.append(#""radius":null"#) }
        members.shuffle(using: &random)
        return """
            {"type":"Feature","id":"r \\u00e9/\(Int.random(in: 0..<1000, using: &random))",\
            "geometry":\(geometry),"properties":{\(members.joined(separator: ","))}}
            """
    }

    private static let options: [[String]] = [
        [#""name":"Caf\u00e9 \"X\"""#, #""name":"""#, #""name":null"#],
        [#""tags":["a","b"]"#, #""tags":[]"#], [#""notifyOnEntry":false"#, #""notifyOnEntry":true"#],
        [#""notifyOnExit":false"#], [#""dwell":[300,"PT1.5H",0.001]"#, #""dwell":"P1D""#, #""dwell":[]"#],
        [#""initialState":"silent""#, #""initialState":"report""#],
        [#""crossing":"raw""#, #""crossing":"coreLocation""#, #""crossing":"confirmed""#],
        [
            #""schedule":{"timeZone":"Asia/Seoul","weekly":["Mon-Fri 09:00-18:00"],"except":["2026-12-25","1969-02-28"]}"#,
            #""schedule":{"timeZone":"UTC","weekly":["22:00-06:00","sat,tue,Fri-Sun 0:00-24:00"]}"#,
            #""schedule":{"timeZone":"America/New_York","weekly":["monday"],"except":[]}"#,
        ],
        [#""devices":"jane/*""#, #""devices":["a?","*"]"#, #""devices":[]"#],
        [#""speedLimit":50"#, #""speedLimit":"30 mph""#, #""speedLimit":"12.5 knots""#, #""speedLimit":"80 km/h""#],
        [#""minAltitude":-12.25"#], [#""maxAltitude":1e3"#],
        [#""expires":"2026-03-01T08:30:00.123+09:00""#, #""expires":1772353800"#, #""expires":1772353800123"#],
        [
            #""metadata":{"a":[1,2.50,-0.0,"x\n"],"b":{}}"#, #""metadata":"text""#,
            #""metadata":12345678901234567890123"#,
        ],
        [#""colour":"red""#, #""note":null"#],
        [#""stroke-width":2,"deep":{"er":[[],{}]}"#, #""unused":1e-9"#],
    ]

    private static func geometry(using random: inout SeededGenerator) -> (json: String, length: String?) {
        func number(_ range: ClosedRange<Double>, _ random: inout SeededGenerator) -> Double {
            (Double.random(in: range, using: &random) * 1e4).rounded() / 1e4
        }
        // Often near the antimeridian, where shapes are split.
        let middle = Bool.random(using: &random) ? 180 : number(-179...179, &random)
        let latitude = number(-80...80, &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let radius = number(0...1e6, &random)
            return (#"{"type":"Point","coordinates":[\#(middle),\#(latitude),12]}"#, #""radius":\#(radius)"#)
        case 1, 2:
            var lines: [[[Double]]] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                var line: [[Double]] = []
                for _ in 0..<Int.random(in: 2...6, using: &random) {
                    line.append([middle + number(-40...40, &random), number(-80...80, &random)])
                }
                lines.append(line)
            }
            let width = #""width":\#(number(0...500, &random))"#
            return lines.count == 1
                ? (#"{"type":"LineString","coordinates":\#(lines[0])}"#, width)
                : (#"{"type":"MultiLineString","coordinates":\#(lines)}"#, width)
        default:
            var polygons: [[[[Double]]]] = []
            for index in 0..<Int.random(in: 1...3, using: &random) {
                let west = middle + Double(index) * 30 - 45
                // The outer ring may lie across the antimeridian; the hole is in its middle.
                let half = number(2...14, &random)
                let rings = [half, half / 4].prefix(Int.random(in: 1...2, using: &random)).map { reach in
                    let ring = [(-1.0, -0.5), (1, -0.5), (1, 0.5), (0.25, 0.6), (-1, 0.5), (-1, -0.5)].map { x, y in
                        [west + x * reach, latitude + y * reach]
                    }
                    return Bool.random(using: &random) ? ring : ring.reversed()
                }
                polygons.append(Array(rings))
            }
            return polygons.count == 1
                ? (#"{"type":"Polygon","coordinates":\#(polygons[0])}"#, nil)
                : (#"{"type":"MultiPolygon","coordinates":\#(polygons)}"#, nil)
        }
    }
}

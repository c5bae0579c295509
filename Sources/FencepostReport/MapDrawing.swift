import FencepostGeometry
import FencepostModel
import FencepostSimulator

/// The map of a scenario, as SVG.
struct MapDrawing {
    private let contents: MapContents
    private let projection: MapProjection
    /// The prefix of the ids of the page's rows.
    private let prefix: String
    /// The boxes that labels and marks occupy.
    private var taken: [(x: ClosedRange<Double>, y: ClosedRange<Double>)] = []

    /// - Returns: `nil` when there is nothing to show.
    init?(_ contents: MapContents, prefix: String) {
        guard !contents.isEmpty,
            let projection = MapProjection(
                fitting: contents.extent, width: 800, tallest: contents.tracks.isEmpty ? 360 : 560, margin: 44)
        else { return nil }
        self.contents = contents
        self.projection = projection
        self.prefix = prefix
    }

    mutating func write(named name: String, in page: inout Markup) {
        let (width, height) = (Words.number(projection.width), Words.number(projection.height))
        let fixes = contents.tracks.reduce(0) { $0 + $1.count }
        let explanation =
            "Map of \(name): \(Words.count(contents.regions.count, "region")), \(Words.count(fixes, "fix"))"
            + ", \(Words.count(contents.mapEvents.count, "event"))."
        // The map scrolls where the page is too narrow for its labels.
        page.element("div", ["class": "scroll map-frame", "tabindex": "0", "role": "region", "aria-label": "Map"]) {
            drawing(named: explanation, width: width, height: height, in: &$0)
        }
    }

    private mutating func drawing(named explanation: String, width: String, height: String, in page: inout Markup) {
        page.element(
            "svg", ["class": "map", "viewBox": "0 0 \(width) \(height)", "role": "group", "aria-label": explanation]
        ) {
            $0.void("rect", ["class": "sea", "width": width, "height": height])
            let visible = contents.regions.filter(isInView)
            for region in visible { draw(region, in: &$0) }
            for track in contents.tracks { draw(track, in: &$0) }
            // Labels do not overlap: the important names choose first, then the events, then the other names.
            var names = Markup()
            for region in visible where contents.named.contains(region.id.rawValue) { label(region, in: &names) }
            for track in contents.tracks { drawEnds(of: track, in: &names) }
            // The plates of all events lie above the lines that lead to them.
            var plates = Markup()
            for mapEvent in contents.mapEvents { draw(mapEvent, lines: &$0, plates: &plates) }
            $0.addRaw(plates.text)
            for region in visible where !contents.named.contains(region.id.rawValue) { label(region, in: &names) }
            $0.addRaw(names.text)
            drawScale(in: &$0)
        }
    }

    private func points(_ line: [Coordinate]) -> [Point] {
        guard let first = line.first else { return [] }
        return line.unrolled(from: projection.near(first).longitude).map { projection($0) }
    }

    private func isInView(_ region: Region) -> Bool {
        let all = region.outlines.flatMap { points($0) }
        guard let west = all.map(\.x).min(), let east = all.map(\.x).max(), let north = all.map(\.y).min(),
            let south = all.map(\.y).max()
        else { return false }
        return west <= projection.width && east >= 0 && north <= projection.height && south >= 0
    }

    private func draw(_ region: Region, in page: inout Markup) {
        var path = PathData()
        let named = contents.named.contains(region.id.rawValue) ? " named" : ""
        if case .corridor(let corridor) = region.shape {
            for line in corridor.lines { path.add(points(line), closed: false) }
            let width = max(corridor.width / projection.metersPerUnit, 1)
            page.element("g", ["class": "corridor\(named)"]) {
                $0.element("title", region.title)
                $0.void("path", ["class": "band", "d": path.text, "stroke-width": Words.number(width)])
                $0.void("path", ["class": "axis", "d": path.text])
            }
            return
        }
        for ring in region.outlines { path.add(points(ring), closed: true) }
        page.element("path", ["class": "region\(named)", "d": path.text, "fill-rule": "evenodd"]) {
            $0.element("title", region.title)
        }
    }

    private func draw(_ track: [Location], in page: inout Markup) {
        var path = PathData()
        path.add(points(track.map(\.coordinate)), closed: false)
        page.void("path", ["class": "track", "d": path.text])
    }

    private mutating func drawEnds(of track: [Location], in page: inout Markup) {
        let line = points(track.map(\.coordinate))
        guard let first = line.first, let last = line.last else { return }
        let ends = first.distance(to: last) < 12 ? [(first, "start, end")] : [(first, "start"), (last, "end")]
        for (point, word) in ends {
            page.void(
                "circle", ["class": "terminus", "cx": Words.number(point.x), "cy": Words.number(point.y), "r": "4.5"])
            write(word, at: Point(x: point.x, y: point.y + 17), style: "terminus-word", in: &page)
        }
    }

    private mutating func draw(
        _ mapEvent: MapContents.MapEvent, lines: inout Markup, plates: inout Markup
    ) {
        let point = projection(projection.near(mapEvent.coordinate))
        let delivery = mapEvent.delivery
        let word = "\(mapEvent.step)\(delivery.relaunch ? "↻" : "")"
        let width = Double(word.count) * 8.5 + 33
        let position = freePosition(near: point, width: width)
        take(position, width: width + 2, height: 26)
        let left = position.x - width / 2
        let explanation =
            "Step \(mapEvent.step): \(delivery.event.words), \(OutcomeMark.words(delivery.outcome))"
            + (delivery.relaunch ? ", app started" : "")
        var leader = PathData()
        leader.add([point, position], closed: false)
        lines.void("path", ["class": "leader", "d": leader.text])
        lines.void("circle", ["class": "spot", "cx": Words.number(point.x), "cy": Words.number(point.y), "r": "3"])
        plates.element(
            "a",
            [
                "class": "event", "href": "#\(prefix)-step-\(mapEvent.step)", "aria-label": explanation,
                "data-step": "\(prefix)-\(mapEvent.step)",
            ]
        ) {
            $0.element("title", explanation)
            $0.void(
                "rect",
                [
                    "class": "plate", "x": Words.number(left), "y": Words.number(position.y - 12),
                    "width": Words.number(width), "height": "24", "rx": "12",
                ])
            $0.void(
                "use",
                [
                    "href": "#mark-\(delivery.outcome.rawValue)", "x": Words.number(left + 3),
                    "y": Words.number(position.y - 10), "width": "20", "height": "20",
                ])
            $0.element("text", ["x": Words.number(left + 26), "y": Words.number(position.y + 4.5)], word)
        }
    }

    private mutating func label(_ region: Region, in page: inout Markup) {
        guard let middle = region.middle else { return }
        var point = projection(projection.near(middle))
        // The name of a small region stands below it and does not cover it.
        let heights = region.outlines.flatMap { points($0) }.map(\.y)
        if let top = heights.min(), let bottom = heights.max(), bottom - top < 50 {
            point.y = bottom + 10
        } else {
            // Without a recording, events are in the middle of their region.
            point.y += 14
        }
        guard (0...projection.width).contains(point.x), (0...projection.height).contains(point.y) else { return }
        write(region.title, at: point, style: "name", in: &page)
    }

    /// Writes a label at a free position. Without a free position it is left out; the shape has it as its title.
    private mutating func write(_ word: String, at point: Point, style: String, in page: inout Markup) {
        let width = min(Double(word.count) * 7 + 4, projection.width)
        for shift in [0.0, 18, 34, -34, 50, -50, -18] {
            let position = Point(
                x: min(max(point.x, width / 2 + 4), projection.width - width / 2 - 4), y: point.y + shift)
            guard position.y > 12, position.y < projection.height - 8, isFree(position, width: width, height: 14) else {
                continue
            }
            take(position, width: width, height: 14)
            page.element(
                "text", ["class": style, "x": Words.number(position.x), "y": Words.number(position.y + 4)], word)
            return
        }
    }

    /// The free position nearest to the place; the place itself when there is none.
    private func freePosition(near point: Point, width: Double) -> Point {
        func held(_ point: Point) -> Point {
            Point(
                x: min(max(point.x, width / 2 + 2), projection.width - width / 2 - 2),
                y: min(max(point.y, 14), projection.height - 14))
        }
        for ring in stride(from: 1.0, through: 9, by: 1) {
            for direction in [(0.0, -1.0), (0, 1), (1, 0), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)] {
                let position = held(Point(x: point.x + direction.0 * ring * 44, y: point.y + direction.1 * ring * 27))
                if isFree(position, width: width, height: 24) { return position }
            }
        }
        return held(point)
    }

    private func isFree(_ position: Point, width: Double, height: Double) -> Bool {
        let (x, y) = Self.box(position, width: width, height: height)
        return !taken.contains { $0.x.overlaps(x) && $0.y.overlaps(y) }
    }

    private mutating func take(_ position: Point, width: Double, height: Double) {
        taken.append(Self.box(position, width: width, height: height))
    }

    private static func box(
        _ position: Point, width: Double, height: Double
    ) -> (x: ClosedRange<Double>, y: ClosedRange<Double>) {
        ((position.x - width / 2)...(position.x + width / 2), (position.y - height / 2)...(position.y + height / 2))
    }

    private func drawScale(in page: inout Markup) {
        let (meters, units) = projection.scaleBar
        let y = Words.number(projection.height - 14)
        let words = meters >= 1000 ? "\(Words.number(meters / 1000)) km" : "\(Words.number(meters)) m"
        page.element("g", ["class": "scale"]) {
            $0.void(
                "path",
                ["d": "M14 \(Words.number(projection.height - 19))V\(y)H\(Words.number(14 + units))v-5"])
            $0.element("text", ["x": "18", "y": Words.number(projection.height - 20)], words)
        }
    }
}

extension Region {
    fileprivate var title: String { name ?? id.rawValue }
}

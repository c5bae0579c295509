import FencepostGeometry
import FencepostModel

extension RegionLayer {
    /// The radius in metres of the largest circle inside a region's polygons, within about 10 %.
    ///
    /// It divides the polygon into smaller and smaller rectangles and follows those that could contain a larger circle
    /// than the best so far (Garcia-Castellanos and Lombardo 2007; the quadtree follows Agafonkin's polylabel). For a
    /// region of many polygons it considers only those whose envelope could contain a larger circle.
    func inscribedRadius(of handle: RegionHandle) -> Double {
        var best = 0.0
        var candidates: [(limit: Double, outline: Int, envelope: Envelope)] = []
        for part in parts(of: handle) {
            guard case .polygon(let outline) = part.kind, let envelope = outlines.envelope(of: outline) else {
                continue
            }
            candidates.append((envelope.halfOfShorterSide, outline, envelope))
        }
        candidates.sort { ($1.limit, $0.outline) < ($0.limit, $1.outline) }
        for (limit, outline, envelope) in candidates where limit > best {
            best = max(best, largestCircle(in: outline, envelope, above: best))
        }
        return best
    }

    private func largestCircle(in outline: Int, _ envelope: Envelope, above known: Double) -> Double {
        struct Cell {
            var center: Coordinate
            /// Half the sides in degrees of longitude and latitude.
            var width, height: Double
            /// An upper bound for the radius of circles centred in the cell.
            var limit: Double
        }
        var best = known
        func cell(_ center: Coordinate, _ width: Double, _ height: Double) -> Cell {
            let plane = LocalPlane(origin: center)
            let distance = outlines.distance(
                to: outline, in: plane, longitude: center.longitude, limit: .greatestFiniteMagnitude.squareRoot(),
                includingAntimeridian: false)
            let isInside = outlines.locate(center, in: outline) == .inside
            let signed = isInside ? distance : -distance
            // A polygon whose edges are all along the antimeridian or in a pole covers the world.
            if signed.isFinite { best = max(best, signed) }
            let x = width * plane.metersPerDegreeOfLongitude
            let y = height * plane.metersPerDegreeOfLatitude
            return Cell(
                center: center, width: width, height: height, limit: signed + (x * x + y * y).squareRoot())
        }
        let middle = Coordinate(
            latitude: (envelope.south + envelope.north) / 2, longitude: (envelope.west + envelope.east) / 2)
        var open = [cell(middle, (envelope.east - envelope.west) / 2, (envelope.north - envelope.south) / 2)]
        // A few hundred evaluations are enough for real coastlines; the bound limits the time for slivers.
        for _ in 0..<150 {
            guard let index = open.indices.max(by: { open[$0].limit < open[$1].limit }) else { break }
            let next = open.remove(at: index)
            guard next.limit > best * 1.1 && next.limit.isFinite else { break }
            let (width, height) = (next.width / 2, next.height / 2)
            for (x, y) in [(-1.0, -1.0), (1, -1), (-1, 1), (1, 1)] {
                let center = Coordinate(
                    latitude: next.center.latitude + y * height, longitude: next.center.longitude + x * width)
                let child = cell(center, width, height)
                if child.limit > best * 1.1 { open.append(child) }
            }
        }
        return best
    }
}

extension Envelope {
    /// Metres; no circle inside has a larger radius.
    fileprivate var halfOfShorterSide: Double {
        let widest = west <= east && south <= 0 && north >= 0 ? 0 : min(abs(south), abs(north))
        let plane = LocalPlane(origin: Coordinate(latitude: widest, longitude: west))
        return min((east - west) * plane.metersPerDegreeOfLongitude, (north - south) * plane.metersPerDegreeOfLatitude)
            / 2 * 1.01
    }
}

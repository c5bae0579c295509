import FencepostGeometry

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Envelope {
    static let world = Envelope(west: -180, south: -90, east: 180, north: 90)

    /// An envelope that contains everything within a distance in metres of this one; its longitudes may exceed 180°.
    ///
    /// The bound is rigorous: along a path of that length the latitude changes no faster than on the smallest radius of
    /// curvature, and the longitude no faster than on the narrowest parallel that the path can touch.
    func expanded(by meters: Double) -> Envelope {
        let rounding = 1e-9
        let degrees = meters / Geodesic.smallestRadius * 180 / .pi + rounding
        var box = Envelope(west: -180, south: max(south - degrees, -90), east: 180, north: min(north + degrees, 90))
        let farthest = max(abs(box.south), abs(box.north))
        guard farthest < 90 else { return box }
        let parallel = Geodesic.semiMajorAxis * cos(farthest * .pi / 180)
        let sideways = meters / parallel * 180 / .pi * (1 + rounding) + rounding
        guard east - west + 2 * sideways < 360 else { return box }
        box.west = west - sideways
        box.east = east + sideways
        return box
    }

    /// The parts between 180° west and 180° east, each with the offset to add to longitudes to get there.
    var parts: EnvelopeParts { EnvelopeParts(envelope: self) }
}

/// At most three parts, generated one by one, because an array would allocate for each query.
struct EnvelopeParts: Sequence, IteratorProtocol {
    fileprivate let envelope: Envelope
    private var count = 0

    fileprivate init(envelope: Envelope) {
        self.envelope = envelope
    }

    mutating func next() -> (envelope: Envelope, longitudeOffset: Double)? {
        while count < 3 {
            let longitudeOffset = count == 0 ? 0.0 : count == 1 ? 360.0 : -360.0
            count += 1
            let part = Envelope(
                west: Swift.max(envelope.west + longitudeOffset, -180), south: envelope.south,
                east: Swift.min(envelope.east + longitudeOffset, 180), north: envelope.north)
            if part.west <= part.east { return (part, longitudeOffset) }
        }
        return nil
    }
}

/// Where in the coordinates of a geometry something is; becomes a JSON Pointer only when somebody has to be told.
struct CoordinatePlace {
    /// The pointer to the member `coordinates`.
    let base: String
    /// Below it at most polygon, ring, position and number.
    private var indices = SIMD4<Int32>(repeating: -1)
    private var depth = 0

    init(_ base: String) {
        self.base = base
    }

    func appending(_ index: Int) -> CoordinatePlace {
        guard depth < 4 else { return self }
        var longer = self
        longer.indices[depth] = Int32(index)
        longer.depth += 1
        return longer
    }

    var pointer: String {
        (0..<depth).reduce(base) { "\($0)/\(indices[$1])" }
    }
}

/// The position of an element within a geometry's coordinates. It becomes a JSON Pointer only when a diagnostic needs
/// it.
struct CoordinatePath {
    /// The pointer to the member `coordinates`.
    let base: String
    /// The indices below it: at most polygon, ring, position and number.
    private var indices = SIMD4<Int32>(repeating: -1)
    private var depth = 0

    init(_ base: String) {
        self.base = base
    }

    func appending(_ index: Int) -> CoordinatePath {
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

/// The known name that a misspelt name probably means: the one at the smallest edit distance of 1 or 2.
///
/// An edit inserts, deletes or replaces a character or swaps two neighbours (optimal string alignment distance, a
/// variant of Damerau-Levenshtein). The distance must be smaller than the name's length. Among equal distances the
/// first one wins.
///
/// - Returns: `nil` if no name is close, or the name itself is known.
public func nearest(to name: String, in known: some Sequence<String>) -> String? {
    let letters = Array(name.unicodeScalars)
    var best: (name: String, distance: Int)?
    for candidate in known {
        let distance = editDistance(letters, Array(candidate.unicodeScalars), limit: 2)
        if distance == 0 { return nil }
        if distance <= 2, distance < letters.count, distance < best?.distance ?? 3 { best = (candidate, distance) }
    }
    return best?.name
}

/// The distance, or any number above the limit if it is larger.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], limit: Int) -> Int {
    guard (a.count - b.count).magnitude <= limit else { return limit + 1 }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var (beforeLast, last) = ([Int](), Array(0...b.count))
    for i in 1...a.count {
        var row = [i]
        for j in 1...b.count {
            let replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
            var best = min(replaced, last[j] + 1, row[j - 1] + 1)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, beforeLast[j - 2] + 1) }
            row.append(best)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}

/// A wish in words, divided into what it wants and what it excludes.
struct WishText {
    /// The words without what they exclude.
    private(set) var wanted: String
    private(set) var constraints: Set<AppWish.Constraint> = []
    /// Goals that the text excludes.
    private(set) var excluded: Set<AppWish.Goal> = []
    /// Activities of the user that the text excludes, such as driving.
    private(set) var activities: [String] = []
    /// Exclusions that are not understood.
    private(set) var ignored: [String] = []

    /// Phrases with a word of negation that want something, and what stands for them.
    private static var positive: [(pattern: Regex<Substring>, text: String)] {
        [
            (
                #/\b(?:without|not|never|no|nobody|do(?:es)?n't|isn't|is not) (?:being |having to |even )?(?:running|open|opened|opening|used|using|in use|on screen|active|launched)\b(?: the app| it)?/#,
                "while the app is terminated"
            ),
            (#/\bnot (?:only|just) (?:when|while|if) [^,;.]*/#, "in the background"),
            (
                #/\b(?:not|never|without|do(?:es)? not|don't|doesn't|must not|may not|cannot) (?:(?:want|wish|like) to |be )?(?:miss|los|fail|forget|skip|overlook)\w*/#,
                "get"
            ),
            (#/\b(?:no longer|not any more|not anymore) (?:at|in|near|inside)\b/#, "leave"),
            (
                #/\b(?:not|isn't|aren't|never) (?:at|in|near|inside) (?:the |a |my |his |her |their )?(?:home|work|school|office|site|shop|place|house|zone|region|area|city)\b/#,
                "leave a place"
            ),
            (#/\b(?:not|isn't|is not|no longer) (?:near|nearby|around|there)\b/#, "away"),
            (
                #/\b(?:has not|have not|hasn't|haven't|is not|isn't|do(?:es)? not|doesn't|don't|not) mov(?:e|ed|ing)\b/#,
                "stay"
            ),
            (#/\b(?:no matter|whether or not|not sure|no one|nobody)\b/#, ""),
        ]
    }
    /// Words of negation.
    private static var cues: Regex<Substring> {
        #/\b(?:without|never|not|no|avoid(?:ing)?|except|neither|nor|do(?:es)?n't|don't|won't|mustn't|shouldn't|can't|cannot|isn't)\b/#
    }
    /// Where the words that a negation is about end.
    private static var ends: Regex<Substring> {
        #/[,;:]|\.(?:\s|$)|\bbut\b|\band also\b|\band (?=(?:then )?(?:tell|remind|log|record|track|know|find|notify|show|alert|count|get|let|keep|save|it|i|the app|we|wake|do|please)\b)|\b(?:even|so that|until|to know|to learn)\b/#
    }
    /// Where a condition of what is wanted begins behind some words.
    private static var conditions: Regex<Substring> { #/\s(?:when|while|whenever|if|as soon as|once)\s/# }
    /// Grants by their names, where only While Using is meant.
    private static var usesOnly: Regex<Substring> {
        #/\b(?:only|just|at most) (?:with )?(?:while[- ]using|when[- ]?in[- ]?use)\b(?: the app)?|\b(?:while[- ]using|when[- ]?in[- ]?use)(?: the app)?(?: permission| authorization| access| grant)? (?:only|alone|at most)\b|\bwith (?:the )?(?:while[- ]using|when[- ]?in[- ]?use)(?: the app)?(?: permission| authorization| access| grant)?\b/#
    }

    init(_ text: String) {
        var words = text.lowercased().replacing("’", with: "'")
        if words.contains(Self.usesOnly) {
            constraints.insert(.noAlways)
            words = words.replacing(Self.usesOnly, with: " ")
        }
        for (pattern, text) in Self.positive { words = words.replacing(pattern, with: " \(text) ") }
        var rest = words[...]
        wanted = ""
        while let cue = rest.firstMatch(of: Self.cues) {
            wanted += rest[..<cue.range.lowerBound] + " "
            let end = Self.end(of: rest[cue.range.upperBound...])
            exclude(String(rest[cue.range.upperBound..<end]), cue: String(cue.output))
            rest = rest[end...]
        }
        wanted += rest
    }

    /// The end of the words that a negation is about.
    private static func end(of text: Substring) -> String.Index {
        let clause = text.firstMatch(of: ends)?.range.lowerBound ?? text.endIndex
        // `without Always when I come home`: what follows is wanted; `not while driving`: it is excluded.
        guard let condition = text[..<clause].firstMatch(of: conditions),
            text[..<condition.range.lowerBound].contains(where: \.isLetter)
        else { return clause }
        let isState = text[condition.range.lowerBound..<clause].contains(
            #/\b(?:closed|killed|terminated|background|not running|locked|swiped|asleep)\b/#)
        return isState ? clause : condition.range.lowerBound
    }

    private mutating func exclude(_ text: String, cue: String) {
        let wish = text.replacing(
            #/\b(?:i|we|do|want|need|like|to|the|a|an|any|use|using|app|should|must|be|ask(?:ing)? for|with)\b/#,
            with: " ")
        var isUnderstood = false
        func has(_ pattern: Regex<Substring>) -> Bool { text.contains(pattern) }
        if has(#/\balways\b/#) { (_, isUnderstood) = (constraints.insert(.noAlways), true) }
        if has(#/\b(?:background|closed|killed|terminated|off screen|locked|swiped|asleep|pocket)\b/#) {
            (_, isUnderstood) = (constraints.insert(.noBackground), true)
        }
        if has(#/\b(?:precise|exact|accurate|full accuracy)\b/#) {
            (_, isUnderstood) = (constraints.insert(.noPrecise), true)
        }
        if isUnderstood { return }
        if has(#/\b(?:ask|asking|permission|permissions|prompt|authorization|consent)\b/#) {
            constraints.insert(.noRequest)
            return
        }
        if let activity = text.firstMatch(of: Self.activity) {
            let name = String(activity.output)
            if !activities.contains(name) { activities.append(name) }
            return
        }
        let goals = AppWish.goals(in: text)
        excluded.formUnion(goals)
        if goals.isEmpty, wish.contains(where: \.isLetter) {
            ignored.append("\(cue)\(text)".split(separator: " ").joined(separator: " "))
        }
    }

    private static var activity: Regex<Substring> {
        #/\b(?:driving|walking|cycling|running|biking|flying|moving|commuting|in (?:a |the |my )?(?:car|train|bus|vehicle|plane))\b/#
    }

    /// The parts of a text that are wishes of their own: sentences, and what follows `and also` and the like.
    static func parts(of text: String) -> [String] {
        let separator =
            #/\s*(?:;|\.\s+|\.$|,?\s+and also\s|,?\s+plus\s|,?\s+as well as\s|,?\s+in addition,?\s|,\s*also\s|\n)\s*/#
        return text.split(separator: separator).map(String.init).filter { $0.contains(where: \.isLetter) }
    }
}

extension AppWish {
    /// Something that an app must do without.
    public enum Constraint: String, Hashable, Sendable, CaseIterable, Comparable {
        /// It never asks for Always.
        case noAlways
        /// It wants no location while it is off screen.
        case noBackground
        /// It wants approximate locations only.
        case noPrecise
        /// It asks for nothing, which no plan can follow.
        case noRequest

        /// In the order of the cases.
        public static func < (first: Self, last: Self) -> Bool {
            (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: last) ?? 0)
        }
    }

    /// Reads the wishes of a text: one for each sentence or part behind `and also` that names a goal, or one for all where
    /// they agree in everything else.
    ///
    /// A part without a goal, such as `even when killed`, adds to the wish before it. Versions and what the app must do
    /// without apply to all, unless a part has its own versions.
    public static func wishes(in text: String) -> [AppWish] {
        var parts: [String] = []
        for part in WishText.parts(of: text) {
            if let last = parts.last, AppWish(part) == nil {
                parts[parts.count - 1] = last + ", " + part
            } else if let last = parts.last, AppWish(last) == nil {
                parts[parts.count - 1] = last + ", " + part
            } else {
                parts.append(part)
            }
        }
        var wishes = parts.compactMap { AppWish($0) }
        guard wishes.count > 1 else { return wishes }
        let shared = wishes.reduce(into: Set<Constraint>()) {
            $0.formUnion($1.constraints.subtracting([.noBackground]))
        }
        let named = parts.filter { $0.lowercased().contains(#/\bi(?:pad)?os\s*[0-9]/#) }
        for index in wishes.indices {
            wishes[index].constraints.formUnion(shared)
            if named.count == 1, let only = AppWish(named[0]) { wishes[index].versions = only.versions }
        }
        var merged = wishes[0]
        for wish in wishes.dropFirst() {
            merged.goals = Goal.allCases.filter { merged.goals.contains($0) || wish.goals.contains($0) }
            merged.ignored = (merged.ignored + wish.ignored).withoutDuplicates
            merged.activities = (merged.activities + wish.activities).withoutDuplicates
        }
        let isOne = wishes.allSatisfy { wish in
            wish.inBackground == merged.inBackground && wish.restarts == merged.restarts
                && wish.reminds == merged.reminds
                && wish.versions == merged.versions && wish.constraints == merged.constraints
                && wish.activities == wishes[0].activities
        }
        return isOne ? [merged] : wishes
    }

    /// Whether a text names goals, and excludes all of them.
    public static func excludesEverything(_ text: String) -> Bool {
        AppWish(text) == nil && !goals(in: text.lowercased()).isEmpty
    }
}

/// What a state or an outcome is like, beside the word for it: the tones of `drawing/state-colors.css`.
enum Tone: String, CaseIterable {
    case neutral, blue, green, amber, red, violet
}

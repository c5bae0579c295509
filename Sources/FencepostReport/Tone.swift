/// The tone of a state or an outcome, in addition to its word. `drawing/state-colors.css` defines the colours.
enum Tone: String, CaseIterable {
    case neutral, blue, green, amber, red, violet
}

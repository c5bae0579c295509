/// The colours of a report, in light and in dark.
///
/// Words are always in `ink`, `muted` or `accent`, for which the contrast with every ground is tested; the strong
/// colours are for shapes and lines.
struct Palette {
    struct Swatch {
        var name, light, dark: String
    }

    static let grounds = [
        Swatch(name: "ground", light: "#ffffff", dark: "#12161b"),
        Swatch(name: "card", light: "#f5f7f9", dark: "#1a2027"),
    ]
    static let inks = [
        Swatch(name: "ink", light: "#1b1f24", dark: "#e8edf2"),
        Swatch(name: "muted", light: "#515a64", dark: "#aab4be"),
        Swatch(name: "accent", light: "#0550ae", dark: "#7db7ff"),
    ]
    static let tints = [
        Swatch(name: "neutral-tint", light: "#e4e9ee", dark: "#2c343d"),
        Swatch(name: "blue-tint", light: "#d4e6fb", dark: "#17385e"),
        Swatch(name: "green-tint", light: "#cdeed6", dark: "#17442a"),
        Swatch(name: "amber-tint", light: "#fae7b5", dark: "#4f3d0c"),
        Swatch(name: "red-tint", light: "#fcdcd8", dark: "#5c2320"),
        Swatch(name: "violet-tint", light: "#e9dcfb", dark: "#402a63"),
    ]
    static let strong = [
        Swatch(name: "line", light: "#c9d1d9", dark: "#3d4752"),
        Swatch(name: "neutral", light: "#57606a", dark: "#a3aeb9"),
        Swatch(name: "blue", light: "#0a58b8", dark: "#66a9ff"),
        Swatch(name: "green", light: "#1a7f37", dark: "#4cc46d"),
        Swatch(name: "amber", light: "#8a5a00", dark: "#e0ac33"),
        Swatch(name: "red", light: "#c0271c", dark: "#ff8379"),
        Swatch(name: "violet", light: "#6f3fc4", dark: "#b794ff"),
    ]

    /// The declarations of all of them as custom properties.
    static var css: String {
        let all = grounds + inks + tints + strong
        func declarations(_ value: KeyPath<Swatch, String>) -> String {
            all.map { "--\($0.name):\($0[keyPath: value]);" }.joined()
        }
        return """
            :root{color-scheme:light dark;\(declarations(\.light))}
            @media (prefers-color-scheme:dark){:root{\(declarations(\.dark))}}
            """
    }
}

/// What a state or an outcome is like, beside the word for it.
enum Tone: String, CaseIterable {
    case neutral, blue, green, amber, red, violet
}

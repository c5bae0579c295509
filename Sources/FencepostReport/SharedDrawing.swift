import CDrawingFiles

/// The files that a report shares with the map page: colours, tones, lanes, marks of outcomes, and the highlighting of
/// related elements.
///
/// They are in `Sources/FencepostPage/Web`, and a report contains their text. The text contains none of the characters
/// that XML would escape.
enum SharedDrawing {
    /// The custom properties and styles of both drawings, in dark colours where the system uses them.
    static let style =
        followingSystem("style/tokens.css") + followingSystem("drawing/state-colors.css")
        + text(of: "drawing/lanes.css")

    static let script = text(of: "drawing/linked-highlight.js")

    /// The shapes of outcomes, each with an id `mark-` and the outcome.
    static let outcomeMarks: String = {
        let file = text(of: "drawing/outcomes.svg")
        guard let start = file.firstRange(of: "<symbol"), let end = file.ranges(of: "</symbol>").last else {
            preconditionFailure("drawing/outcomes.svg has no symbols")
        }
        return String(file[start.lowerBound..<end.upperBound])
    }()

    /// The page selects its dark colours by an attribute. A report has no switch, so they follow the system.
    private static func followingSystem(_ path: String) -> String {
        let sheet = text(of: path)
        guard let selector = sheet.firstRange(of: #":root[data-theme="dark"] {"#),
            let end = sheet[selector.upperBound...].firstIndex(of: "}")
        else { preconditionFailure("\(path) has no dark colours") }
        let (before, dark) = (sheet[..<selector.lowerBound], sheet[selector.upperBound..<end])
        return "\(before)@media (prefers-color-scheme: dark) { :root {\(dark)}\(sheet[end...])"
    }

    /// The text of a file of the page; its name is a constant of this module.
    private static func text(of path: String) -> String {
        var index = 0
        while let file = unsafe fencepost_drawing_file_at(index)?.pointee {
            // The bytes are static constants of the length in the list.
            if unsafe String(cString: file.path) == path {
                return unsafe String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
            }
            index += 1
        }
        preconditionFailure("CDrawingFiles has no \(path)")
    }
}

import Foundation

/// The lengths that a text from outside may have: code points, and bytes of its UTF-8.
///
/// What is seen as one character (a `Character`) can have any number of code points, so characters limit nothing.
/// Composing a text and hashing a `String` take time that grows with the square of a run of combining marks, so a text is
/// measured before it is composed, hashed or looked up.
public struct TextLimit: Hashable, Sendable {
    /// The allowed numbers of code points.
    public let codePoints: ClosedRange<Int>
    /// The largest number of bytes in UTF-8.
    public let bytes: Int

    /// A limit.
    ///
    /// - Parameters:
    ///   - codePoints: the allowed numbers of code points.
    ///   - bytes: the largest number of bytes; by default four for each code point, which is what UTF-8 needs at most.
    public init(_ codePoints: ClosedRange<Int>, bytes: Int? = nil) {
        self.codePoints = codePoints
        self.bytes = bytes ?? 4 * codePoints.upperBound
    }

    /// The id of a device, or a pattern of such ids. The bytes are those before composition.
    public static let deviceID = TextLimit(1...128, bytes: 1024)
    /// The name of a user.
    public static let userName = TextLimit(1...64, bytes: 1024)
    /// A new password (NIST SP 800-63B, 3.1.1.2, asks for 8 at least, and for 64 at most not to be too many).
    public static let password = TextLimit(8...256, bytes: 1024)
    /// The tag of a group or of a region.
    public static let tag = TextLimit(1...64)

    /// Whether a text has an allowed length; takes time that grows with the length of the limit, not of the text.
    public func admits(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= bytes && codePoints.contains(text.unicodeScalars.count)
    }

    /// The text in Unicode normalisation form C.
    ///
    /// - Returns: `nil` for a text that has too many bytes before it is composed, or another length than is allowed after.
    public func composed(_ text: String) -> String? {
        guard text.utf8.count <= bytes else { return nil }
        let composed = text.precomposedStringWithCanonicalMapping
        return admits(composed) ? composed : nil
    }

    /// A text with a horizontal ellipsis for what is above a number of code points.
    ///
    /// - Parameters:
    ///   - text: a text of any length.
    ///   - limit: the largest number of code points of the result, at least 1.
    /// - Returns: the text, when it is short enough, else its beginning and an ellipsis.
    public static func truncated(_ text: String, to limit: Int) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars.prefix(limit - 1)) + "…"
    }
}

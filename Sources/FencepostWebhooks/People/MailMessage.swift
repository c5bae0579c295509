import FencepostMessages
import FencepostModel
import FencepostService
import Foundation

/// The headers and the text of one e-mail.
struct MailMessage: Hashable, Sendable {
    var from: String
    var to: [String]
    /// Header lines without line ends.
    var headers: [String]
    var text: String
    /// `nil` for a mail without an attachment.
    var file: ReportFile?

    /// An e-mail about events.
    ///
    /// - Parameters:
    ///   - message: a message of the kind `email`.
    ///   - id: the id of the event, from which the `Message-ID` follows: an attempt that is repeated has the same one.
    ///   - wall: the time of the attempt.
    init(_ message: PersonalMessage, id: String, wall: Timestamp) {
        from = message.people.from ?? ""
        to = message.people.to
        let domain = from.split(separator: "@").last.map(String.init) ?? "fencepost.invalid"
        headers = [
            "Date: " + Self.date(wall), "From: Fencepost <\(from)>", "To: " + to.joined(separator: ", "),
            "Subject: " + Self.encoded(message.text.title), "Message-ID: <\(id)@\(domain)>",
            // Mail servers send no answer of an absent recipient to such a message (RFC 3834).
            "Auto-Submitted: auto-generated",
        ]
        file = message.file
        text = message.text.body.isEmpty ? message.text.title : message.text.body
        if let link = message.text.link { text += "\n\n" + link }
        text += "\n"
    }

    /// RFC 5322, 3.3, in UTC.
    static func date(_ moment: Timestamp) -> String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let seconds = max(moment.milliseconds / 1000, 0)
        let (day, ofDay) = (Int(seconds / 86_400), Int(seconds % 86_400))
        let date = Timestamp.civil(day: day)
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        let time = [ofDay / 3600, ofDay % 3600 / 60, ofDay % 60].map(padded).joined(separator: ":")
        return "\(days[day % 7]), \(padded(date.day)) \(months[date.month - 1]) \(date.year) \(time) +0000"
    }

    /// A header value in encoded words of RFC 2047, each of at most 75 characters; plain ASCII stays.
    static func encoded(_ text: String) -> String {
        if text.count <= 60, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), !text.contains("=?") { return text }
        var words: [String] = []
        var part = ""
        for character in text.map(String.init) {
            if part.utf8.count + character.utf8.count > 45, !part.isEmpty {
                words.append(part)
                part = ""
            }
            part += character
        }
        words.append(part)
        return words.map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}

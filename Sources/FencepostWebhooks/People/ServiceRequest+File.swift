import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostService

/// Requests with the file of a report.
extension ServiceRequest {
    /// Writes the request of a message with a file; `false` for a kind that takes none.
    mutating func write(_ message: PersonalMessage, with file: ReportFile) -> Bool {
        switch message.kind {
        case .ntfy: return writeNtfy(message, file)
        case .telegram: writeTelegram(message, file)
        case .discord: writeDiscord(message, file)
        case .webhook, .mqtt, .nats, .redis, .amqp, .kafka, .email, .gotify, .slack, .apprise: return false
        }
        return true
    }

    /// The file is the body, and the text is in headers, where ntfy decodes encoded words (RFC 2047).
    /// https://docs.ntfy.sh/publish/#attach-local-file
    private mutating func writeNtfy(_ message: PersonalMessage, _ file: ReportFile) -> Bool {
        guard let (root, topic) = ntfyTopic else { return false }
        url = root + topic
        func encoded(_ text: String) -> String {
            MailMessage.encoded(String(text.map { $0.isNewline ? " " : $0 })).replacing("\r\n", with: "")
        }
        headers = [
            ("title", encoded(message.text.title)), ("message", encoded(message.text.body)), ("filename", file.name),
            ("content-type", file.type),
        ]
        if let priority = message.people.priority { headers.append(("priority", String(priority))) }
        if let link = message.text.link { headers.append(("click", link)) }
        if let token = message.people.token { headers.append(("authorization", "Bearer " + token)) }
        bytes = file.bytes
        return true
    }

    /// https://core.telegram.org/bots/api#senddocument
    private mutating func writeTelegram(_ message: PersonalMessage, _ file: ReportFile) {
        url = base + "/bot\(message.people.token ?? "")/sendDocument"
        var form = FormData(for: file)
        form.add("chat_id", message.people.chat ?? "")
        // Telegram refuses captions of more than 1024 characters.
        form.add("caption", TextLimit.truncated(message.text.title + "\n" + message.text.body, to: 1024))
        form.add("document", file)
        finish(form)
    }

    /// https://discord.com/developers/docs/reference#uploading-files
    private mutating func writeDiscord(_ message: PersonalMessage, _ file: ReportFile) {
        var form = FormData(for: file)
        form.add("payload_json", discordPayload(message), type: "application/json")
        form.add("files[0]", file)
        finish(form)
    }

    private mutating func finish(_ form: FormData) {
        var form = form
        form.end()
        bytes = form.bytes
        headers.append(("content-type", form.type))
    }
}

import FencepostService
import FencepostTransport

/// The address of a mail server: `smtp://` for STARTTLS, `smtps://` for TLS from the start.
struct MailServer: Hashable, Sendable {
    var usesTLSFromStart: Bool
    var host: EndpointURL.Host
    var port: Int

    /// Parses the URL; its path has to be empty.
    init(_ text: String, guard addressGuard: AddressGuard) throws(EndpointURL.Failure) {
        let lower = text.lowercased()
        guard lower.hasPrefix("smtp://") || lower.hasPrefix("smtps://"), let colon = text.firstRange(of: "://")
        else { throw .notMail }
        usesTLSFromStart = lower.hasPrefix("smtps://")
        let url = try EndpointURL("https" + text[colon.lowerBound...], guard: addressGuard)
        guard url.path == "/" else { throw .badPath }
        host = url.host
        port = url.port ?? (usesTLSFromStart ? 465 : 587)
    }

    /// A transfer of one e-mail to this server at one of its addresses.
    func transfer(of mail: MailMessage, to address: IPAddress) -> MailTransfer {
        var transfer = MailTransfer(
            host: host.text, address: EndpointURL.Host.address(address).text, port: port, from: mail.from, to: mail.to,
            headers: mail.headers, text: mail.text)
        transfer.usesTLSFromStart = usesTLSFromStart
        if let file = mail.file {
            transfer.attachment = MailTransfer.Attachment(name: file.name, type: file.type, bytes: file.bytes)
        }
        return transfer
    }
}

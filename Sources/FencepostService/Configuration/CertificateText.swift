import Foundation

/// Certificates as people paste them: PEM (RFC 7468), often with other lines around it.
enum CertificateText {
    /// A text that is not taken.
    struct Refusal: Error, Hashable {
        /// What is wrong, and how to mend it, in sentences.
        let detail: String
    }

    /// The most bytes: some authorities, each with a chain.
    static let limit = 24_576
    private static let begin = "-----BEGIN "
    private static let end = "-----END CERTIFICATE-----"
    private static let lineLength = 64
    private static let cure =
        "paste the certificate of the authority that signed the broker's, from -----BEGIN CERTIFICATE----- to "
        + "-----END CERTIFICATE-----."

    /// The certificates alone, with the line breaks of the standard; a text that this has given stays as it is.
    ///
    /// - Throws: a `Refusal` for a text without a certificate, or with anything else in PEM. Whether what is in a certificate can be
    ///   used is not checked.
    static func read(_ text: String) throws(Refusal) -> String {
        guard text.utf8.count <= limit else {
            throw Refusal(
                detail: "It may have at most \(limit) bytes: paste the certificate of the broker's authority alone.")
        }
        var (blocks, open): ([String], String?) = ([], nil)
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.hasPrefix(begin) {
                let label = line.dropFirst(begin.count).replacing("-----", with: "")
                guard !label.hasSuffix("PRIVATE KEY") else {
                    throw Refusal(detail: "This has a private key, which stays where it is: \(cure)")
                }
                guard label == "CERTIFICATE", open == nil else { throw damaged(blocks.count + 1) }
                open = ""
            } else if line == end {
                guard let base64 = open, let data = Data(base64Encoded: base64), isSequence(data) else {
                    throw damaged(blocks.count + 1)
                }
                blocks.append(block(base64))
                open = nil
            } else {
                open?.append(line)
            }
        }
        guard open == nil else { throw damaged(blocks.count + 1) }
        guard !blocks.isEmpty else { throw Refusal(detail: "This is no certificate in PEM: \(cure)") }
        return blocks.joined()
    }

    private static func damaged(_ number: Int) -> Refusal {
        Refusal(detail: "The certificate \(number) in it is damaged or cut off: \(cure)")
    }

    /// Whether the bytes are one element of DER that has parts, as a certificate is.
    private static func isSequence(_ data: Data) -> Bool {
        let bytes = Array(data)
        guard bytes.count > 4, bytes[0] == 0x30 else { return false }
        guard bytes[1] >= 0x80 else { return bytes.count == 2 + Int(bytes[1]) }
        let count = Int(bytes[1] & 0x7F)
        guard (1...3).contains(count), bytes.count > 2 + count else { return false }
        return bytes.count == 2 + count + bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func block(_ base64: String) -> String {
        var lines: [Substring] = []
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(lineLength))
            rest = rest.dropFirst(lineLength)
        }
        return "-----BEGIN CERTIFICATE-----\n\(lines.joined(separator: "\n"))\n\(end)\n"
    }
}

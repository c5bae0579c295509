/// Media types of header fields.
package enum MediaType {
    /// A media type in lower case, without its parameters.
    package static func normalized(_ field: String) -> String? {
        // Most are in lower case and have no parameters.
        let isPlain = field.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: ";") && !(0x41...0x5A).contains(byte)
        }
        let type = isPlain ? field : field.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type.isEmpty ? nil : type
    }
}

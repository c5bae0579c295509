public import Foundation

/// Reads property lists, XML or binary, into the entries of `PropertyKeys`.
public enum PropertyListKeys {
    /// Reads the entries of a property list.
    ///
    /// - Returns: an entry for each key with a value, sorted; `nil` when the data is not a property list with a
    ///   dictionary.
    public static func entries(of data: Data) -> [String]? {
        // The call is unsafe only for its format pointer, which is `nil` here.
        guard let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil),
            let dictionary = list as? [String: Any]
        else { return nil }
        var entries: [String] = []
        for (key, value) in dictionary {
            switch value {
            case let text as String: if !text.isEmpty { entries.append("\(key):\(text)") }
            case let array as [Any]: entries += array.compactMap { $0 as? String }.map { "\(key):\($0)" }
            case let inner as [String: Any]: entries += inner.keys.map { "\(key):\($0)" }
            case let number as NSNumber: entries.append("\(key):\(number)")
            default: entries.append(key)
            }
        }
        return entries.sorted()
    }

    /// Reads the entries of a file; `nil` when it cannot be read or is not a dictionary.
    public static func entries(ofFile path: String) -> [String]? {
        (try? Data(contentsOf: URL(filePath: path))).flatMap(entries)
    }
}

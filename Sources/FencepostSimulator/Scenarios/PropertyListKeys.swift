public import Foundation

/// Flattens property lists, XML or binary, into the entries that `infoPlist` holds.
public enum PropertyListKeys {
    /// - Returns: an entry for each key with a value, sorted; `nil` when the data is no dictionary of a property list.
    public static func entries(of data: Data) -> [String]? {
        // The pointer that makes this unsafe is not passed: which format it was does not matter.
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

    public static func entries(ofFile path: String) -> [String]? {
        (try? Data(contentsOf: URL(filePath: path))).flatMap(entries)
    }
}

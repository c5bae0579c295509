extension KeyedDecodingContainer {
    /// Decodes a list as `decode([Element].self, forKey:)` does, in a fraction of the time for small elements.
    ///
    /// The caller's module makes a version for its elements. That of the standard library looks up the types at run time,
    /// for each element.
    ///
    /// - Parameters:
    ///   - type: the type of the elements.
    ///   - key: the key of the list.
    /// - Returns: the elements.
    /// - Throws: `DecodingError` if the list is missing or an element is invalid.
    @inlinable
    package func decodeList<Element: Decodable>(of type: Element.Type, forKey key: Key) throws -> [Element] {
        var container = try nestedUnkeyedContainer(forKey: key)
        var elements: [Element] = []
        if let count = container.count { elements.reserveCapacity(count) }
        while !container.isAtEnd { elements.append(try container.decode(type)) }
        return elements
    }
}

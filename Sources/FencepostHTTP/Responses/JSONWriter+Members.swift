public import FencepostJSON
package import FencepostModel

extension JSONWriter {
    package mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        value(text)
    }

    package mutating func member(_ name: String, _ number: Int) {
        self.name(name)
        value(number)
    }

    package mutating func member(_ name: String, _ number: Double?) {
        guard let number, number.isFinite else { return }
        self.name(name)
        value(number)
    }

    package mutating func member(_ name: String, _ bool: Bool) {
        self.name(name)
        value(bool)
    }

    package mutating func member(_ name: String, _ time: Timestamp?) {
        guard let time else { return }
        self.name(name)
        asciiString { time.appendRFC3339(to: &$0) }
    }

    package mutating func member(_ name: String, raw json: String) {
        self.name(name)
        raw(json)
    }

    /// Writes an array; public, so that it is specialized for the elements of another module.
    @inlinable public mutating func array<Element>(
        _ name: String, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    /// Writes an array of strings.
    @inlinable public mutating func list(_ name: String, _ texts: some Sequence<String>) {
        array(name, texts) { $0.value($1) }
    }
}

extension String {
    /// The JSON object with more members at its end. Each member starts with a comma.
    package func appendingMembers(_ members: String) -> String {
        guard !members.isEmpty, let end = lastIndex(of: "}") else { return self }
        let isEmpty = self[..<end].last { !$0.isWhitespace } == "{"
        return self[..<end] + (isEmpty ? members.dropFirst() : members[...]) + "}"
    }

    /// The JSON object with more members at its start. Each member ends with a comma.
    package func prependingMembers(_ members: String) -> String {
        guard let start = firstIndex(of: "{") else { return self }
        let rest = self[index(after: start)...]
        return rest.first { !$0.isWhitespace } == "}"
            ? "{" + members.dropLast() + rest : "{" + members + rest
    }
}

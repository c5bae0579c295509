/// Numbers for the names of members, and a guess of which name comes next.
///
/// Members nearly always come in the same order, so most names are recognised by one comparison.
struct StateNames {
    private(set) var list: [String] = []
    private var numbers: [String: Int] = [:]
    /// By number, the name that followed it last.
    private var followers: [Int] = []
    private var last = -1

    /// The next name is the first one of a value.
    mutating func begin() { last = -1 }

    /// The number of the next name. A new name gets the next free number.
    mutating func number(of name: String) -> Int {
        var number = last < 0 ? 0 : followers[last]
        if number >= list.count || list[number] != name {
            number = known(name)
            if last >= 0 { followers[last] = number }
        }
        last = number
        return number
    }

    /// As `number(of:)`, for a name that comes in no order.
    mutating func known(_ name: String) -> Int {
        if let number = numbers[name] { return number }
        let number = list.count
        list.append(name)
        numbers[name] = number
        followers.append(number + 1)
        return number
    }
}

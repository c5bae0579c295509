import GRDB

/// Values of rows as a disk gives them back.
///
/// GRDB's own subscripts end the process when a value has another type than its column, which one flipped bit brings about.
/// These hide them and throw a `RowDecodingError`, which becomes a `StoreError` `corrupt`. Each has two forms, because GRDB
/// reads some types without a `DatabaseValue` in between.
extension Row {
    subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        get throws { try decode(Value.self, atIndex: index) }
    }

    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) -> Value {
        get throws { try decode(Value.self, atIndex: index) }
    }

    subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
        get throws { try decode(Value.self, forColumn: name) }
    }

    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ name: String) -> Value {
        get throws { try decode(Value.self, forColumn: name) }
    }
}

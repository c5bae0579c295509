/// What code runs at each launch of an app, also in the background, as far as its sources show it.
///
/// It begins at the app's delegate and at the SwiftUI app, and follows names: a type that is named is made, a function that is
/// named and whose type is made runs. So it finds rather more than what runs. Views, their controllers and the delegates of
/// scenes are left out, as are closures that wait for the user, since a launch in the background has none of them.
struct LaunchCode: Sendable {
    /// Whether the sources show what a launch begins with, and nothing else could run.
    let isKnown: Bool
    /// The names of views, their controllers and delegates of scenes.
    let interface: Set<String>
    private let declarations: [[SwiftDeclaration]]
    private let numbers: [String: Int]
    private var reached: Set<Slot> = []
    /// The words of what runs.
    private var named: Set<String> = []

    /// A declaration by the numbers of its source and of itself.
    private struct Slot: Hashable, Sendable { var source, index: Int }

    /// Modules by which code in other languages runs.
    private static let foreignModules: Set<String> = [
        "Flutter", "React", "Capacitor", "Cordova", "CordovaLib", "Expo", "ExpoModulesCore", "React_RCTAppDelegate",
        "UnityFramework",
    ]
    private static let applications: Set<String> = [
        "App", "UIApplicationDelegate", "NSApplicationDelegate", "WKApplicationDelegate", "WKExtensionDelegate",
    ]
    /// Closures that wait for a view or for the user.
    static let interfaceBlocks: Set<String> = [
        "onAppear", "onDisappear", "task", "onTapGesture", "onOpenURL", "refreshable", "Button", "sheet",
        "fullScreenCover",
        "onContinueUserActivity", "onSubmit", "onLongPressGesture",
    ]

    /// - Parameters:
    ///   - sources: all sources of the app.
    ///   - isWhole: whether the app has no other code, such as Objective-C.
    init(_ sources: [SwiftSource], isWhole: Bool) {
        let types = sources.flatMap(\.types)
        let roots = Set(
            types.filter { type in
                !type.isProtocol
                    && type.inherits.contains {
                        Self.applications.contains($0) || $0.hasSuffix("AppDelegate")
                            || $0.hasSuffix("ApplicationDelegate")
                    }
            }.map(\.name))
        let isForeign = sources.contains { source in
            source.positions(of: "import").contains {
                $0 + 1 < source.tokens.count && Self.foreignModules.contains(source.tokens[$0 + 1].text)
            }
        }
        interface = Set(types.filter { Self.isInterface($0.name, $0.inherits) }.map(\.name)).subtracting(roots)
        isKnown = isWhole && !roots.isEmpty && !isForeign
        declarations = isKnown ? sources.map(\.declarations) : []
        numbers = Dictionary(sources.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
        guard isKnown else { return }
        var search = Search(sources, declarations, types, interface, roots)
        search.run()
        (reached, named) = (search.reached, search.named)
    }

    /// Whether a type exists only while the app is on screen.
    static func isInterface(_ name: String, _ inherits: [String]) -> Bool {
        name.hasSuffix("ViewController")
            || inherits.contains { base in
                ["View", "ViewModifier", "PreviewProvider", "Widget", "WidgetBundle"].contains(base)
                    || ["ViewController", "ViewRepresentable", "ControllerRepresentable", "ViewCell", "SceneDelegate"]
                        .contains(where: base.hasSuffix)
                    || base.hasSuffix("View") && (base.hasPrefix("UI") || base.hasPrefix("MK"))
            }
    }

    /// Whether a place in a source runs at each launch.
    func contains(_ token: Int, in source: SwiftSource) -> Bool {
        guard let number = numbers[source.path], !source.isInInterfaceBlock(token) else { return false }
        if source.path.hasSuffix("main.swift"), source.scopes(at: token).isEmpty { return true }
        return declarations[number].indices.contains { index in
            let range = declarations[number][index].range
            guard range.contains(token), reached.contains(Slot(source: number, index: index)) else { return false }
            // A function within a function runs when something calls it.
            guard let inner = source.function(at: token), inner.start > range.lowerBound else { return true }
            return named.contains(inner.name)
        }
    }

    /// Follows names from what a launch begins with.
    private struct Search {
        let sources: [SwiftSource]
        let declarations: [[SwiftDeclaration]]
        let interface: Set<String>
        let roots: Set<String>
        /// The superclasses and interfaces of each type.
        private var bases: [String: Set<String>] = [:]
        private var slots: [String: [Slot]] = [:]
        private var members: [String: [Slot]] = [:]
        private(set) var reached: Set<Slot> = []
        private var made: Set<String> = []
        /// The names of functions and properties that were found; those of a type that is not yet made wait.
        private(set) var named: Set<String> = []
        private var pending: [Slot] = []
        /// The words of all sources but the names of functions where they are declared.
        private let used: Set<String>
        /// The types that the sources declare.
        private let own: Set<String>

        init(
            _ sources: [SwiftSource], _ declarations: [[SwiftDeclaration]], _ types: [SwiftType],
            _ interface: Set<String>, _ roots: Set<String>
        ) {
            (self.sources, self.declarations, self.interface, self.roots) = (sources, declarations, interface, roots)
            used = sources.reduce(into: []) { used, source in
                for index in source.tokens.indices
                where source.tokens[index].kind == .word && !source.matches(["func"], at: index - 1) {
                    used.insert(source.tokens[index].text)
                }
            }
            for type in types { bases[type.name, default: []].formUnion(type.inherits) }
            for (source, list) in declarations.enumerated() {
                for (index, declaration) in list.enumerated() {
                    guard !interface.contains(declaration.type ?? "") else { continue }
                    let slot = Slot(source: source, index: index)
                    slots[declaration.name, default: []].append(slot)
                    if let type = declaration.type { members[type, default: []].append(slot) }
                }
            }
            // What the app only extends, and interfaces, exist without being named.
            own = Set(types.filter { !$0.isExtension && !$0.isProtocol }.map(\.name))
            for name in bases.keys where !own.contains(name) && !interface.contains(name) { make(name) }
            for root in roots { make(root) }
            for (index, source) in sources.enumerated() where source.path.hasSuffix("main.swift") {
                follow(source.tokens.indices, in: index)
            }
        }

        mutating func run() {
            while let slot = pending.popLast() {
                let declaration = declarations[slot.source][slot.index]
                follow(declaration.attributes, in: slot.source)
                follow(declaration.range, in: slot.source)
            }
        }

        private mutating func add(_ slot: Slot) {
            if reached.insert(slot).inserted { pending.append(slot) }
        }

        /// Takes a type as made: what it has then, and what was named before.
        private mutating func make(_ type: String) {
            guard !interface.contains(type), bases[type] != nil, made.insert(type).inserted else { return }
            for slot in members[type] ?? [] {
                let declaration = declarations[slot.source][slot.index]
                switch declaration.kind {
                case .initializer, .stored, .shared: add(slot)
                case .function:
                    let isLaunch = SourceLint.isLaunch(declaration.name, declaration.labels)
                    // A framework calls what no source names, by parameters or by an interface of its own. An app's delegate
                    // is called for much else than a launch.
                    let isFramework =
                        !used.contains(declaration.name) && (!declaration.labels.isEmpty || isExtended(type))
                    let isCalled = (declaration.isCallback || isFramework) && !roots.contains(type)
                    if isLaunch || isCalled || named.contains(declaration.name) { add(slot) }
                case .computed:
                    // The body of an app, of a scene or of a reducer.
                    if declaration.name == "body" || named.contains(declaration.name) { add(slot) }
                }
            }
            for base in bases[type] ?? [] { make(base) }
        }

        /// Whether a type is another module's, or has an interface of one that is not known.
        private func isExtended(_ type: String) -> Bool {
            guard own.contains(type) else { return true }
            return bases[type]?.contains { bases[$0] == nil && !Self.plainInterfaces.contains($0) } ?? false
        }

        /// Interfaces by which nobody calls a function without parameters.
        private static let plainInterfaces: Set<String> = [
            "NSObject", "ObservableObject", "CLLocationManagerDelegate", "Sendable", "Equatable", "Hashable",
            "Identifiable",
            "Codable", "Decodable", "Encodable", "Error", "CustomStringConvertible", "AnyObject", "UIResponder",
            "unchecked",
            "MainActor", "String", "Int", "CaseIterable", "Comparable",
        ]

        /// Whether a word is the name of the property that a range declares.
        private func isOwnName(_ token: Int, _ range: Range<Int>, _ source: SwiftSource) -> Bool {
            token == range.lowerBound + 1
                && ["var", "let", "typealias"].contains { source.matches([$0], at: range.lowerBound) }
        }

        private mutating func follow(_ range: Range<Int>, in index: Int) {
            let source = sources[index]
            for token in range where source.tokens[token].kind == .word {
                let name = source.tokens[token].text
                if bases[name] != nil, !made.contains(name), !source.isInInterfaceBlock(token) { make(name) }
                // The declaration's own name, and that of a function within it, calls nothing.
                guard !source.matches(["func"], at: token - 1), !named.contains(name),
                    !isOwnName(token, range, source),
                    !source.isInInterfaceBlock(token)
                else { continue }
                named.insert(name)
                for other in slots[name] ?? [] {
                    let declaration = declarations[other.source][other.index]
                    switch declaration.kind {
                    case .function, .computed:
                        if declaration.type.map(made.contains) ?? true { add(other) }
                    // These come with their type.
                    case .initializer, .stored, .shared: break
                    }
                }
            }
        }
    }
}

extension SwiftSource {
    /// Whether a place is in a closure that waits for a view or for the user.
    func isInInterfaceBlock(_ index: Int) -> Bool {
        scopes(at: index).contains { scope in
            if case .block(let name) = scope { return LaunchCode.interfaceBlocks.contains(name) }
            return false
        }
    }
}

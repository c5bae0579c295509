import ArgumentParser

@main
struct Fencepost: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Watches places.")
}

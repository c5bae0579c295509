/// The version of Fencepost, the same wherever it is reported.
///
/// `fencepost --version`, `GET /v1/version`, `GET /openapi.json`, the metric `fencepost_build_info` and the `user-agent` of
/// webhooks report it. `CHANGELOG.md` has a section for it; `make lint` fails if that is missing or if another file
/// writes a version out.
public enum FencepostVersion {
    /// A semantic version: major, minor, patch.
    public static let current = "0.2.0"
    /// The day of the release. A clock before it was never set. Every release moves it, and a build from the repository
    /// has that of the release before.
    public static let released = Timestamp(seconds: 1_795_305_600)
}

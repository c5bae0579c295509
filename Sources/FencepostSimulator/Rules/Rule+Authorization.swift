extension Rule {
    /// Requests for authorization and the prompts that they bring up.
    static let authorization: [Rule] = [
        Rule(
            .auth01, [.documented], sources: "seed-004 seed-002 H9 H16",
            "A request without its purpose strings has no effect but a line in the log."),
        Rule(
            .auth02, of: "iOS 13+", [.documented, .staff], sources: "H16 D-WIU W19",
            "A request from an app that is not on screen has no effect."),
        Rule(
            .auth03, [.documented], sources: "seed-000 H16 D-LSE",
            """
            While the device's Location Services are off no request can prompt, and the user has to be sent to \
            Settings.
            """
        ),
        Rule(
            .auth04, [.documented, .staff], sources: "seed-004 H16 W19",
            """
            Requests are silent no-ops once the app is denied or restricted; denied changes in Settings alone, \
            restricted not by this user at all.
            """
        ),
        Rule(
            .auth05, [.documented], sources: "H9 H16 D-WIU",
            "The while-using request acts on an undetermined status and on no other."),
        Rule(
            .auth06, [.documented], sources: "H9 H16 seed-004 D-ALWAYS",
            "The always request acts on an undetermined status, or once on while-using from iOS 11 on."),
        Rule(
            .auth07, of: "iOS up to 7", [.staff], sources: "W14",
            "Before iOS 8 there was nothing to call: the first use of location asked for what is now always."),
        Rule(
            .auth08, [.documented], sources: "H16 D-DIDCHANGE",
            "A request that has no effect calls nothing back."),
        Rule(
            .auth09, of: "iOS 8 to 12", [.documented, .staff], sources: "W14 H9",
            "Up to iOS 12 the while-using prompt offers allowing and refusing."),
        Rule(
            .auth10, of: "iOS 8 to 10", [.documented, .staff], sources: "W14 H9",
            "Up to iOS 10 the always prompt offers allowing and refusing, and allowing is always at once."),
        Rule(
            .auth11, of: "iOS 11 to 12", [.documented, .staff], sources: "W17 H12",
            "On iOS 11 and 12 an always request offers three levels, and choosing while-using uses the request up."),
        Rule(
            .auth12, of: "iOS 13+", [.documented, .staff], sources: "seed-002 seed-003 W19",
            "From iOS 13 the first prompt offers while-using, once, and refusal."),
        Rule(
            .auth13, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            """
            From iOS 13 a direct always request shows that same first prompt; allowing gives a provisional always \
            that reports itself as the real one.
            """
        ),
        Rule(
            .auth14, of: "iOS 8 to 10", [.documented], sources: "H9",
            "Up to iOS 10 asking for always on top of while-using has no effect."),
        Rule(
            .auth15, of: "iOS 11 to 12", [.documented, .staff], sources: "W17 H12",
            "On iOS 11 and 12 asking for always on top of while-using prompts at once, a single time."),
        Rule(
            .auth16, of: "iOS 13.0 to 13.3", [.staff], sources: "W20",
            "On iOS 13.0 to 13.3 asking for always on top of while-using makes the app provisional without a prompt."),
        Rule(
            .auth17, of: "iOS 13.4+", [.documented, .staff], sources: "seed-002 W20 D-ALWAYS",
            """
            From iOS 13.4 asking for always on top of while-using prompts at once; keeping the level calls nothing \
            back.
            """
        ),
        Rule(
            .auth18, of: "iOS 11+", [.documented], sources: "seed-002 seed-004 H16 D-ALWAYS",
            "One always request per install takes effect, whatever the answer to it was."),
        Rule(
            .auth19, of: "iOS 13+", [.documented, .observed], sources: "D-ALWAYS I-EXPO",
            "While a grant for once lasts, a request for always is ignored in silence."),
        Rule(
            .auth20, of: "iOS 13+", [.inferred],
            "Nobody says whether an ignored call uses up the one always request; here it does not."),
        Rule(
            .auth21, of: "iOS 13+", [.documented], sources: "H16 D-ALWAYS",
            "An app that is provisionally or fully always has nothing more to ask for."),
    ]

    /// Provisional always.
    static let provisional: [Rule] = [
        Rule(
            .prov01, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            "The provisional grant reports always from the first tap on, while Settings shows while-using."),
        Rule(
            .prov02, of: "iOS 13+", [.staff], sources: "seed-002 W19",
            "A provisional app may register all that an always app may, and the system monitors it."),
        Rule(
            .prov03, of: "iOS 13+", [.staff], sources: "W19",
            "A provisional app gets events while it is in use; those that need always are held back and launch nothing."
        ),
        Rule(
            .prov04, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            "A held event brings about the second prompt at a quiet moment that the app can neither cause nor choose."),
        Rule(
            .prov05, of: "iOS 13+", [.staff], sources: "W19",
            """
            While the prompt waits a newer event takes the place of the older, and an event that has grown too old \
            is dropped.
            """
        ),
        Rule(
            .prov06, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            """
            Agreeing to the second prompt makes the grant a real always without a callback and hands over the held \
            event if it is fresh.
            """
        ),
        Rule(
            .prov07, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            """
            Declining the second prompt leaves while-using, which the app hears when it next runs, and the held \
            event is dropped.
            """
        ),
        Rule(
            .prov08, of: "iOS 13+", [.staff], sources: "W19 D-ALWAYS",
            "Nothing but that answer or Settings ends the provisional state, and the second prompt comes once."),
        Rule(
            .prov09, of: "iOS 13+", [.observed], sources: "I-949",
            "No interface tells provisional always from the real one."),
        Rule(
            .prov10, of: "iOS 13+", [.staff], sources: "W20",
            """
            Whoever first gets while-using and asks for always afterwards never becomes provisional from iOS 13.4 \
            on.
            """),
    ]

    /// The grant for once.
    static let once: [Rule] = [
        Rule(
            .once01, of: "iOS 13+", [.documented, .observed], sources: "seed-002 seed-003 I-RNP375",
            "A grant for once can do and reports what while-using does; only Settings shows the difference."),
        Rule(
            .once02, of: "iOS 13+", [.observed, .staff], sources: "seed-003 seed-002",
            "A grant for once is gone after the app was terminated and launched again."),
        Rule(
            .once03, of: "iOS 13+", [.observed, .staff], sources: "seed-003 W19",
            """
            A grant for once is gone when the app comes back from a stay in the background in which it was no longer \
            in use.
            """
        ),
        Rule(
            .once04, of: "iOS 13+", [.observed, .staff], sources: "seed-003",
            "A grant for once lasts while the app stays on screen."),
        Rule(
            .once05, of: "iOS 13+", [.observed, .staff], sources: "seed-003 W19",
            "A grant for once outlasts a short trip to the background."),
        Rule(
            .once06, of: "iOS 13+", [.observed, .staff], sources: "seed-003 W19",
            "A grant for once lasts in the background as long as continuous background updates keep coming."),
        Rule(
            .once07, of: "iOS 17+", [.inferred], sources: "PLAT-03",
            """
            A background activity session or Live Activity that keeps the app in use should keep a grant for once as \
            well.
            """
        ),
        Rule(
            .once08, of: "iOS 13+", [.documented, .staff], sources: "W19 D-DIDCHANGE",
            "A grant for once ends the moment use ends, and the app hears of it when it next runs."),
        Rule(
            .once09, of: "iOS 13+", [.staff], sources: "W19 seed-002",
            """
            When a grant for once is gone the app may ask again, and the whole first prompt comes back, as often as \
            that happens.
            """
        ),
        Rule(
            .once10, of: "iOS 14+", [.staff], sources: "W20",
            "A paired iPhone app and its watch app share a temporary grant and a temporary upgrade of accuracy."),
        Rule(
            .once11, of: "iOS 13+", [.inferred], sources: "W19",
            "How many seconds the grace after leaving the screen lasts is not documented; 10 are assumed."),
    ]
}

extension Rule {
    /// Requests for authorization and the prompts that they show.
    static let authorization: [Rule] = [
        Rule(
            .auth01, [.documented], sources: "seed-004 seed-002 H9 H16",
            "A request without its purpose strings has no effect except a line in the log."),
        Rule(
            .auth02, of: "iOS 13+", [.documented, .staff], sources: "H16 D-WIU W19",
            "A request from an app that is not on screen has no effect."),
        Rule(
            .auth03, [.documented], sources: "seed-000 H16 D-LSE",
            """
            While the device's Location Services are off, no request can prompt; the app has to send the user to \
            Settings.
            """
        ),
        Rule(
            .auth04, [.documented, .staff], sources: "seed-004 H16 W19",
            """
            Requests have no effect and no error once the app is denied or restricted. Only Settings can change \
            denied; this user cannot change restricted.
            """
        ),
        Rule(
            .auth05, [.documented], sources: "H9 H16 D-WIU",
            "The While Using request acts only on an undetermined status."),
        Rule(
            .auth06, [.documented], sources: "H9 H16 seed-004 D-ALWAYS",
            "The Always request acts on an undetermined status, or, from iOS 11, once on While Using."),
        Rule(
            .auth07, of: "iOS up to 7", [.staff], sources: "W14",
            "Before iOS 8 there was no request method: the first use of location asked for what is now Always."),
        Rule(
            .auth08, [.documented], sources: "H16 D-DIDCHANGE",
            "A request that has no effect causes no callback."),
        Rule(
            .auth09, of: "iOS 8 to 12", [.documented, .staff], sources: "W14 H9",
            "Up to iOS 12 the While Using prompt offers to allow and to refuse."),
        Rule(
            .auth10, of: "iOS 8 to 10", [.documented, .staff], sources: "W14 H9",
            "Up to iOS 10 the Always prompt offers to allow and to refuse, and allowing grants Always at once."),
        Rule(
            .auth11, of: "iOS 11 to 12", [.documented, .staff], sources: "W17 H12",
            "On iOS 11 and 12 an Always request offers three levels, and choosing While Using uses the request up."),
        Rule(
            .auth12, of: "iOS 13+", [.documented, .staff], sources: "seed-002 seed-003 W19",
            "From iOS 13 the first prompt offers While Using, Allow Once and refusal."),
        Rule(
            .auth13, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            """
            From iOS 13 a direct Always request shows the same first prompt. Allowing gives a provisional Always, \
            which the API reports as Always.
            """
        ),
        Rule(
            .auth14, of: "iOS 8 to 10", [.documented], sources: "H9",
            "Up to iOS 10 a request for Always has no effect on an app with While Using."),
        Rule(
            .auth15, of: "iOS 11 to 12", [.documented, .staff], sources: "W17 H12",
            "On iOS 11 and 12 a request for Always by an app with While Using prompts at once, a single time."),
        Rule(
            .auth16, of: "iOS 13.0 to 13.3", [.staff], sources: "W20",
            """
            On iOS 13.0 to 13.3 a request for Always by an app with While Using makes the grant provisional without \
            a prompt.
            """
        ),
        Rule(
            .auth17, of: "iOS 13.4+", [.documented, .staff], sources: "seed-002 W20 D-ALWAYS",
            """
            From iOS 13.4 a request for Always by an app with While Using prompts at once. Keeping the level causes \
            no callback.
            """
        ),
        Rule(
            .auth18, of: "iOS 11+", [.documented], sources: "seed-002 seed-004 H16 D-ALWAYS",
            "One Always request per installation takes effect, whatever the user answers."),
        Rule(
            .auth19, of: "iOS 13+", [.documented, .observed], sources: "D-ALWAYS I-EXPO",
            "During Allow Once, a request for Always is ignored without an error."),
        Rule(
            .auth20, of: "iOS 13+", [.inferred],
            """
            No source says whether an ignored call uses up the one Always request. Fencepost assumes that it does \
            not.
            """
        ),
        Rule(
            .auth21, of: "iOS 13+", [.documented], sources: "H16 D-ALWAYS",
            "An app with a provisional or full Always has no further level to ask for."),
        Rule(
            .auth22, of: "iOS 13.4+", [.disputed], sure: "70 % yes", sources: "I-RNP490",
            "Choosing Ask Next Time in Settings makes the one request for Always available again."),
    ]

    /// Provisional Always.
    static let provisional: [Rule] = [
        Rule(
            .prov01, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            "The provisional grant reports Always from the first tap on, while Settings shows While Using."),
        Rule(
            .prov02, of: "iOS 13+", [.staff], sources: "seed-002 W19",
            "A provisional app may register everything that an app with Always may, and the system monitors it."),
        Rule(
            .prov03, of: "iOS 13+", [.staff], sources: "W19",
            "A provisional app gets events while it is in use. Events that need Always are held and launch nothing."),
        Rule(
            .prov04, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            "A held event leads to the second prompt at a time that the app can neither cause nor choose."),
        Rule(
            .prov05, of: "iOS 13+", [.staff], sources: "W19",
            """
            While the prompt is pending a newer event replaces the older one, and an event that is too old is \
            dropped.
            """
        ),
        Rule(
            .prov06, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            """
            Agreeing to the second prompt makes the grant a real Always without a callback, and delivers the held \
            event if it is recent.
            """
        ),
        Rule(
            .prov07, of: "iOS 13+", [.documented, .staff], sources: "seed-002 W19 D-ALWAYS",
            """
            Declining the second prompt leaves While Using. The app is notified when it next runs, and the held \
            event is dropped.
            """
        ),
        Rule(
            .prov08, of: "iOS 13+", [.staff], sources: "W19 D-ALWAYS",
            "Only that answer or Settings ends the provisional state, and the second prompt comes once."),
        Rule(
            .prov09, of: "iOS 13+", [.observed], sources: "I-949",
            "No interface distinguishes provisional Always from the real one."),
        Rule(
            .prov10, of: "iOS 13+", [.staff], sources: "W20",
            "From iOS 13.4 an app that first gets While Using and then asks for Always never becomes provisional."),
    ]

    /// Allow Once.
    static let once: [Rule] = [
        Rule(
            .once01, of: "iOS 13+", [.documented, .observed], sources: "seed-002 seed-003 I-RNP375",
            "Allow Once permits and reports the same as While Using; only Settings shows the difference."),
        Rule(
            .once02, of: "iOS 13+", [.observed, .staff], sources: "seed-003 seed-002",
            "Allow Once has ended when the app is launched again after a termination."),
        Rule(
            .once03, of: "iOS 13+", [.observed, .staff], sources: "seed-003 W19",
            """
            Allow Once has ended when the app returns from a time in the background in which it was no longer in \
            use.
            """
        ),
        Rule(
            .once04, of: "iOS 13+", [.observed, .staff], sources: "seed-003",
            "Allow Once lasts while the app stays on screen."),
        Rule(
            .once05, of: "iOS 13+", [.observed, .staff], sources: "seed-003 W19",
            "Allow Once survives a short time in the background."),
        Rule(
            .once06, of: "iOS 13+", [.observed, .staff], sources: "seed-003 W19",
            "Allow Once lasts in the background while continuous background updates run."),
        Rule(
            .once07, of: "iOS 17+", [.inferred], sources: "PLAT-03",
            "A background activity session or Live Activity that keeps the app in use should also keep Allow Once."),
        Rule(
            .once08, of: "iOS 13+", [.documented, .staff], sources: "W19 D-DIDCHANGE",
            "Allow Once ends when use ends, and the app is notified when it next runs."),
        Rule(
            .once09, of: "iOS 13+", [.staff], sources: "W19 seed-002",
            "After Allow Once has ended, the app may ask again with the whole first prompt, any number of times."),
        Rule(
            .once10, of: "iOS 14+", [.staff], sources: "W20",
            "A paired iPhone app and its watch app share a temporary grant and a temporary upgrade of accuracy."),
        Rule(
            .once11, of: "iOS 13+", [.inferred], sources: "W19",
            "The number of seconds of grace after leaving the screen is not documented; 10 are assumed."),
    ]
}

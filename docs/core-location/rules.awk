# Turns what `fencepost rules` prints into the page rules.md: `make rules-doc` runs it.

BEGIN {
    FS = " · "
    title["PLAT"] = "Platforms, and what counts as use"
    title["AUTH"] = "Asking for authorization"
    title["PROV"] = "A provisional always"
    title["ONCE"] = "Allow Once"
    title["SET"] = "Settings"
    title["CB"] = "Callbacks"
    title["ACC"] = "Accuracy"
    title["SVC"] = "Services"
    title["RELAUNCH"] = "Waking and relaunching"
    title["PLIST"] = "Info.plist and entitlements"
    title["REGION"] = "Regions"
    title["VISIT"] = "Visits"
    title["SLC"] = "Significant changes"
    title["MON"] = "Monitors"
    title["LIVE"] = "Live updates"
    title["SESS"] = "Sessions"
    title["PUSH"] = "Location pushes"
    title["ABSTR"] = "The authorization manager"
    title["TOOL"] = "The tools"
    title["DISPUTE"] = "Disputes"

    print "# The rules"
    print ""
    print "Reference: every rule that Fencepost knows of Core Location, made from its table by `make rules-doc`. A link to"
    print "one ends in its id in small letters: `rules.md#relaunch-04`. `fencepost rules RELAUNCH-04 VISIT` prints single"
    print "rules and families; without a system a rule is for all of them."
    print ""
    print "A rule is *documented* by Apple, said by Apple's *staff*, *observed* by developers, *inferred* from other rules,"
    print "or *disputed*: [disputes.md](disputes.md) says how Fencepost answers those."
}

/^[A-Z]+-[0-9]+ · / {
    split($1, name, "-")
    if (name[1] != family) {
        family = name[1]
        print "\n## " (family in title ? title[family] : family) "\n"
        print "| id | systems | known | rule |"
        print "|---|---|---|---|"
    }
    printf "| <a id=\"%s\"></a>%s | %s | %s | ", tolower($1), $1, (NF == 3 ? $2 : ""), $NF
    text = 1
    next
}

# The line below is the rule itself, then come its sources.
text {
    sub(/^ +/, "")
    gsub(/\|/, "\\|")
    print $0 " |"
    text = 0
}

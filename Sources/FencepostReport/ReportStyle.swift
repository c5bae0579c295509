/// The style sheet of a report without its colours. The text contains none of the characters that XML would escape.
enum ReportStyle {
    static let text = page + lanes + map + table + narrow

    private static let page = """

        *{box-sizing:border-box}
        body{margin:0 auto;max-width:1400px;padding:1rem 1.25rem 4rem;background:var(--ground);color:var(--ink);
        font:15px/1.45 var(--font);overflow-wrap:anywhere}
        h1,h2,h3{line-height:1.2;margin:0;unicode-bidi:isolate}
        h1{font-size:1.5rem}h2{font-size:1.25rem;display:inline}h3{font-size:1rem;margin:1.5rem 0 .5rem}
        p{margin:.25rem 0}dl,dd{margin:0}dt{font-weight:600}dt .muted{font-weight:400}
        a{color:var(--accent)}
        code{font:.9em ui-monospace,monospace;background:var(--card);border-radius:3px;padding:0 .2em}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        .away{position:absolute}
        .kicker,.muted{color:var(--muted)}
        nav ol{padding:0;list-style:none;columns:22rem;margin:.75rem 0}
        nav li{margin:.2rem 0;break-inside:avoid;display:flex;align-items:baseline}nav .chip{flex:none}
        .icon{vertical-align:-5px;flex:none}
        .chip{display:inline-flex;align-items:center;gap:.3em;padding:.05em .55em;margin-right:.4em;border-radius:1em;
        border:1px solid var(--line);font-size:.9em;white-space:nowrap;vertical-align:middle}
        .legend{margin:.75rem 0;color:var(--muted)}
        .legend ul{list-style:none;padding:0;columns:26rem;color:var(--ink)}.legend li{margin:.3rem 0;break-inside:avoid}
        summary{cursor:pointer}
        .scenario{border:1px solid var(--line);border-radius:8px;padding:1rem;margin:1rem 0}
        .scenario[open] summary{margin-bottom:.5rem}
        .scenario h2{margin-right:.6rem}
        .headline{font-size:1.05rem}
        .failures{border-left:5px solid var(--red);background:var(--card);padding:.25rem .9rem .6rem;margin:.75rem 0}
        .failures h3{margin:.5rem 0}.failures dd{margin:0 0 .4rem}
        .facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.5rem 1.25rem}
        .facts dt{color:var(--muted);font-weight:400;font-size:.9em}
        .tools{display:flex;flex-wrap:wrap;gap:.5rem;margin:.5rem 0}
        button{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--neutral);border-radius:6px;
        padding:.3rem .7rem;cursor:pointer}
        button[aria-pressed=true]{background:var(--blue-tint)}

        """

    /// In addition to `drawing/lanes.css`: here a column is a step.
    private static let lanes = """
        .lanes{width:max-content;min-width:100%}
        .guide{border-left:1px solid var(--line);margin-bottom:-6px}
        .guide.highlighted{background:var(--blue-tint)}
        .tick{border-bottom:1px solid var(--line)}
        a.tick strong{color:var(--accent);text-decoration:underline}
        .tick span{display:block}
        .tick.nothing{outline:2px dashed var(--neutral);outline-offset:-2px;border-radius:6px}
        .lane-cell{z-index:1;display:flex;flex-direction:column;align-items:start;gap:2px;padding:0 2px}

        """

    private static let map = """
        .map-frame{max-width:1000px}.map{display:block;width:100%;min-width:640px;height:auto}
        .sea{fill:var(--sea)}
        .region{fill:var(--region-fill);stroke:var(--region);stroke-width:1.2;stroke-dasharray:4 3}
        .region.named{fill:var(--region-active-fill);stroke:var(--region-active);stroke-width:2;stroke-dasharray:none}
        .band{fill:none;stroke:var(--region-fill);stroke-linecap:round;stroke-linejoin:round}
        .axis{fill:none;stroke:var(--region);stroke-dasharray:4 3}
        .named .band{stroke:var(--region-active-fill)}
        .track{fill:none;stroke:var(--track);stroke-width:2;stroke-linejoin:round}
        .terminus{fill:var(--ground);stroke:var(--track);stroke-width:2.5}
        .map text{fill:var(--ink);font:13px var(--font);paint-order:stroke;stroke:var(--halo);stroke-width:3px}
        .map .name,.map .terminus-word{text-anchor:middle}.map .terminus-word{fill:var(--muted)}
        .plate{fill:var(--ground);stroke:var(--neutral)}.leader{stroke:var(--neutral);fill:none}.spot{fill:var(--ink)}
        .map .event text{stroke:none;font-weight:600}
        .event:hover .plate,.event.highlighted .plate,.event:focus .plate{stroke:var(--accent);stroke-width:3}
        .scale path{fill:none;stroke:var(--ink);stroke-width:1.5}

        """

    private static let table = """
        .steps{border-collapse:collapse;width:100%;font-size:14px}
        .steps th,.steps td{text-align:left;vertical-align:top;padding:.45rem .6rem;border-bottom:1px solid var(--line)}
        .steps thead th{position:sticky;top:0;background:var(--card);z-index:1}
        .steps thead th{white-space:nowrap}
        .steps tr{scroll-margin-top:3rem}
        .steps tbody th{border-left:5px solid transparent}
        .steps tr.doubtful th{border-left:5px dotted var(--amber)}
        .steps tr.nothing th{border-left:5px double var(--neutral)}
        .steps tr.bad th{border-left:5px solid var(--red)}
        .steps tr.highlighted{background:var(--card)}
        .steps tr:target{background:var(--blue-tint)}.steps tr:target .muted{color:var(--ink)}
        .steps tr:target code{background:none}
        .number{white-space:nowrap}.time{white-space:nowrap;font-variant-numeric:tabular-nums}.clock{display:block}
        .effect{min-width:10rem;max-width:20rem}.effect div{margin-top:.25rem}.why{max-width:44rem}
        .chip.nothing{border:2px dashed var(--neutral)}
        .answer{font-size:.92em}.answer span{white-space:nowrap;margin-right:.7em}
        .rules dd{margin:0 0 .4rem}.rules summary{font-size:.92em}
        @media (prefers-reduced-motion:no-preference){.guide,.steps tr{transition:background-color .12s}}
        @media print{.tools{display:none}.scroll{overflow:visible}}

        """

    private static let narrow = """
        @media (max-width:760px){
        body{padding:.75rem .5rem 3rem}
        .scenario{padding:.75rem .6rem}
        .chip{white-space:normal}
        nav ol,.legend ul{columns:auto}
        .steps,.steps tbody,.steps tr,.steps td,.steps tbody th{display:block;max-width:none}
        .steps tr[hidden]{display:none}
        .steps thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        .steps tr{border:1px solid var(--line);border-radius:6px;margin:.6rem 0;padding:.3rem 0}
        .steps th,.steps td{border-bottom:0;padding:.2rem .6rem}
        .steps .number:before{content:"Step "}.clock{display:inline}
        }

        """
}

/// The script of a report, in addition to `drawing/linked-highlight.js`. The page is complete without scripts.
///
/// The text contains none of the characters that XML would escape.
enum ReportScript {
    static let text = """

        const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
        linkHighlights(document);
        enableRowKeys(document, "tr[data-step]");
        function show() {
          const target = document.getElementById(location.hash.slice(1));
          if (!target) return;
          const fold = target.closest("details");
          if (fold) fold.open = true;
          target.hidden = false;
          target.scrollIntoView({ block: "center" });
          if (target.tabIndex === 0) target.focus({ preventScroll: true });
        }
        addEventListener("hashchange", show);
        if (location.hash) show();
        for (const table of all("table.steps")) {
          const bar = document.createElement("div");
          bar.className = "tools";
          const button = (label, press) => {
            const made = document.createElement("button");
            made.type = "button";
            made.textContent = label;
            made.setAttribute("aria-pressed", "false");
            made.addEventListener("click", () => {
              const on = made.getAttribute("aria-pressed") !== "true";
              made.setAttribute("aria-pressed", String(on));
              press(on);
            });
            bar.append(made);
          };
          button("Open all rules", (on) => all("details.rules", table).forEach((part) => { part.open = on; }));
          const odd = all("tr.nothing, tr.doubtful, tr.bad", table);
          if (odd.length) button("Only steps without effect, with uncertain rules or errors (" + odd.length + ")", (on) => {
            all("tbody tr", table).forEach((row) => { row.hidden = on ? !odd.includes(row) : false; });
          });
          table.before(bar);
        }

        """
}

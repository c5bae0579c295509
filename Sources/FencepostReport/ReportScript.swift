/// The script of a report: comforts only, the page says all without it.
///
/// It stands in the page as it is, so it does without the characters that XML would have escaped.
enum ReportScript {
    static let text = """

        "use strict";
        (function () {
          function all(selector, root) { return Array.from((root || document).querySelectorAll(selector)); }
          function light(key) {
            all(".lit").forEach(function (e) { e.classList.remove("lit"); });
            if (key) all("[data-step='" + key + "']").forEach(function (e) { e.classList.add("lit"); });
          }
          ["mouseover", "focusin"].forEach(function (name) {
            document.addEventListener(name, function (event) {
              var part = event.target.closest("[data-step]");
              light(part ? part.dataset.step : null);
            });
          });
          function show() {
            var target = document.getElementById(location.hash.slice(1));
            if (!target) return;
            var fold = target.closest("details");
            if (fold) fold.open = true;
            target.hidden = false;
            target.scrollIntoView({ block: "center" });
            if (target.tabIndex === 0) target.focus({ preventScroll: true });
          }
          window.addEventListener("hashchange", show);
          if (location.hash) show();
          document.addEventListener("keydown", function (event) {
            var way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
            if (!way || !event.target.matches("tr[data-step]")) return;
            var next = event.target[way];
            while (next ? next.hidden : false) next = next[way];
            if (next) { event.preventDefault(); next.focus(); }
          });
          all("table.steps").forEach(function (table) {
            var bar = document.createElement("div");
            bar.className = "tools";
            function button(label, press) {
              var made = document.createElement("button");
              made.type = "button";
              made.textContent = label;
              made.setAttribute("aria-pressed", "false");
              made.addEventListener("click", function () {
                var on = made.getAttribute("aria-pressed") !== "true";
                made.setAttribute("aria-pressed", String(on));
                press(on);
              });
              bar.appendChild(made);
            }
            button("Open all rules", function (on) {
              all("details.rules", table).forEach(function (e) { e.open = on; });
            });
            var odd = all("tr.nothing, tr.doubtful, tr.bad", table);
            if (odd.length) button("Only steps without effect, in doubt or in error (" + odd.length + ")", function (on) {
              all("tbody tr", table).forEach(function (row) { row.hidden = on ? !odd.includes(row) : false; });
            });
            table.before(bar);
          });
        })();

        """
}

/**
 * Lights all parts that tell of the same step or event, in whatever drawing or table they are, while one of them is
 * pointed at or has the focus: parts with the same `data-step` get the class `lit`.
 *
 * The map page and the report of `simulate --report` both use this; it does without the characters that XML escapes,
 * since the report holds it as it is.
 */
export function lightTogether(root) {
  const light = (key) => {
    root.querySelectorAll(".lit").forEach((part) => part.classList.remove("lit"));
    if (key) root.querySelectorAll(`[data-step="${CSS.escape(key)}"]`).forEach((part) => part.classList.add("lit"));
  };
  for (const name of ["mouseover", "focusin"]) {
    root.addEventListener(name, (event) => light(event.target.closest("[data-step]")?.dataset.step));
  }
}

/** Lets the arrow keys go up and down among rows that can have the focus. */
export function walkRows(root, rows) {
  root.addEventListener("keydown", (event) => {
    const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!way || !event.target.matches(rows)) return;
    let next = event.target[way];
    while (next?.hidden) next = next[way];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

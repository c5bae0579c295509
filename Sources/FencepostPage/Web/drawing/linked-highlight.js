/**
 * Linked highlighting: while the pointer or the focus is on an element with `data-step`, all elements of the same step
 * or event get the class `highlighted`, in every drawing and table.
 *
 * The map page and the reports of `simulate --report` share this file. It contains no character that XML escapes,
 * because a report embeds it as it is.
 */
export function linkHighlights(root) {
  const highlight = (key) => {
    root.querySelectorAll(".highlighted").forEach((part) => part.classList.remove("highlighted"));
    if (!key) return;
    const parts = root.querySelectorAll(`[data-step="${CSS.escape(key)}"]`);
    parts.forEach((part) => part.classList.add("highlighted"));
  };
  for (const name of ["mouseover", "focusin"]) {
    root.addEventListener(name, (event) => highlight(event.target.closest("[data-step]")?.dataset.step));
  }
}

/** The arrow keys move the focus up and down between the rows that match the selector `rows`. */
export function enableRowKeys(root, rows) {
  root.addEventListener("keydown", (event) => {
    const sibling = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!sibling || !event.target.matches(rows)) return;
    let next = event.target[sibling];
    while (next?.hidden) next = next[sibling];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

/** The ids that somebody may have meant: at most three, the most similar first, and only those close to the text. */
export function similarIDs(text, ids) {
  const wanted = text.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 4));
  return ids.map((id) => ({ id, cost: costOf(wanted, id.toLowerCase(), limit) }))
    .filter(({ cost }) => cost <= limit)
    .sort((a, b) => a.cost - b.cost)
    .slice(0, 3)
    .map(({ id }) => id);
}

/** The edit distance of two texts; 0 if the id only has more before or after; above the limit it is not exact. */
function costOf(wanted, id, limit) {
  if (wanted.length >= 3 && id.includes(wanted)) return 0;
  if (Math.abs(wanted.length - id.length) > limit) return limit + 1;
  let row = Array.from({ length: id.length + 1 }, (_, index) => index);
  for (let i = 1; i <= wanted.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= id.length; j += 1) {
      const replaced = row[j - 1] + (wanted[i - 1] === id[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[id.length];
}

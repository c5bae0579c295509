// Patterns of ids as the service has them: `*` is any text and `?` one character, a slash too.

/** Whether a text is a pattern of ids. */
export const isPattern = (value) => /[*?]/.test(value);

/**
 * A predicate for a pattern.
 * @param {string} pattern
 * @returns {(value: string) => boolean}
 */
export function patternMatcher(pattern) {
  const signs = [...pattern];
  return (value) => matches(signs, [...value]);
}

function matches(pattern, value) {
  let [p, v] = [0, 0];
  /** Where to go on after a mismatch behind the last star: one character later. */
  let retry = null;
  while (v < value.length) {
    if (pattern[p] === "*") {
      p += 1;
      retry = [p, v];
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === value[v])) {
      p += 1;
      v += 1;
    } else if (retry) {
      retry[1] += 1;
      [p, v] = retry;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}

// What a picker offers for a typed text, and which values a text stands for.

/**
 * A value that can be picked.
 * @typedef {object} Choice
 * @property {string} value the id; of a choice that stands for others, a text that no id is.
 * @property {string} name what people call it.
 * @property {string} [note] more about it.
 * @property {string[]} [expands] the values that it stands for, as a group for its devices.
 */

/**
 * The choices whose name or id has a text: those that begin with it come first, then those with a word that does.
 * @param {Choice[]} choices in the order in which people look for them.
 * @param {string} typed
 * @param {number} limit
 * @returns {{shown: Choice[], more: number}} `more` is the number of those beyond the limit.
 */
export function matchingChoices(choices, typed, limit) {
  const wanted = typed.trim().toLowerCase();
  /** @type {Choice[][]} */
  const ranks = [[], [], []];
  for (const choice of choices) {
    const texts = [choice.name.toLowerCase(), choice.value.toLowerCase()];
    const found = texts.map((one) => one.indexOf(wanted)).filter((index) => index >= 0);
    if (!found.length) continue;
    const isWord = texts.some((one) => new RegExp(`[^\\p{L}\\p{N}]${escaped(wanted)}`, "u").test(one));
    ranks[found.includes(0) ? 0 : isWord ? 1 : 2].push(choice);
  }
  const all = ranks.flat();
  return { shown: all.slice(0, limit), more: Math.max(0, all.length - limit) };
}

const escaped = (value) => value.replace(/[\\^$.|?*+()[\]{}/]/g, "\\$&");

/**
 * The choice that a whole text names: by its id, else by its name if only one has it.
 * @param {Choice[]} choices
 * @param {string} typed
 * @returns {Choice | undefined}
 */
export function choiceNamed(choices, typed) {
  const wanted = typed.trim();
  const byID = choices.find(({ value, expands }) => value === wanted && !expands);
  if (byID || !wanted) return byID;
  const lower = wanted.toLowerCase();
  const named = choices.filter(({ name }) => name.toLowerCase() === lower);
  return named.length === 1 ? named[0] : undefined;
}

/**
 * The values that a text stands for. Commas separate several; so do spaces, except within a name.
 * @param {Choice[]} choices
 * @param {string} typed
 * @returns {string[]}
 */
export function valuesIn(choices, typed) {
  const take = (part) => {
    const choice = choiceNamed(choices, part);
    return choice ? choice.expands ?? [choice.value] : null;
  };
  const values = take(typed) ?? typed.split(",").map((part) => part.trim()).filter(Boolean)
    .flatMap((part) => take(part) ?? part.split(/\s+/).flatMap((word) => take(word) ?? [word]));
  return [...new Set(values)];
}

/** The name of a value where no other choice has the same, else the value. */
export function labelOf(choices, value) {
  const choice = choices.find((one) => one.value === value && !one.expands);
  if (!choice) return value;
  return choiceNamed(choices, choice.name) === choice ? choice.name : value;
}

/** The length of an id that is made of a name. */
const maximumLength = 64;

/**
 * An id that no region uses, made of a name: `Café São Jorge` becomes `cafe-sao-jorge`. Without Latin letters or
 * digits in the name it is made of the kind: `circle-1`.
 */
export function unusedID(regions, kind, name = "") {
  const text = name.normalize("NFKD").replace(/\p{Mark}/gu, "").toLowerCase();
  const base = text.replace(/[^a-z0-9]+/g, "-").slice(0, maximumLength).replace(/^-|-$/g, "");
  if (base && !regions.get(base)) return base;
  let number = base ? 2 : 1;
  while (regions.get(`${base || kind}-${number}`)) number += 1;
  return `${base || kind}-${number}`;
}

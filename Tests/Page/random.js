// Numbers that follow from a seed, so that a failure repeats.

/** A source of numbers from 0 to 1, exclusive (xorshift32 of Marsaglia 2003). */
export function randomOf(seed) {
  let state = (Math.imul(seed, 2_654_435_761) ^ 0x9e3779b9) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The elements in an order that follows from the source. */
export function shuffled(elements, random) {
  const left = [...elements];
  return Array.from(elements, () => left.splice(Math.floor(random() * left.length), 1)[0]);
}

export const between = (random, low, high) => low + random() * (high - low);

/** Runs a test with each of so many sources. */
export function forSeeds(count, test) {
  for (let seed = 1; seed <= count; seed += 1) {
    try {
      test(randomOf(seed), seed);
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
}

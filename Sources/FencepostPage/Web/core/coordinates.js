// Coordinates as people paste them.

const number = String.raw`[+-]?\d{1,3}(?:\.\d+)?`;
const decimal = new RegExp(`^(${number})\\s*°?\\s*([NS])?(?:\\s*[,;]\\s*|\\s+)(${number})\\s*°?\\s*([EW])?$`, "i");
const angle = String.raw`(\d{1,3})°\s*(\d{1,2})['′]\s*(?:(\d{1,2}(?:\.\d+)?)["″]\s*)?`;
const sexagesimal = new RegExp(String.raw`^${angle}([NS])[,\s]\s*${angle}([EW])$`, "i");

/**
 * The position in a text such as `38.7169, -9.1399`, `38.7169° N 9.1399° W` or `38°43′01″N 9°08′24″W`, as
 * `[lon, lat]`; `null` for another text. The latitude comes first. A `geo:` URI is accepted too.
 */
export function coordinatesIn(text) {
  const trimmed = text.trim().replace(/^geo:([^;?]+).*$/, "$1");
  const plain = trimmed.match(decimal);
  if (plain) {
    // Two whole numbers are rather a name.
    if (!trimmed.includes(".") && !plain[2]) return null;
    return valid(signed(plain[1], plain[2]), signed(plain[3], plain[4]));
  }
  const parts = trimmed.match(sexagesimal);
  if (!parts) return null;
  const degrees = (at) => Number(parts[at]) + Number(parts[at + 1]) / 60 + Number(parts[at + 2] ?? 0) / 3600;
  return valid(signed(degrees(1), parts[4]), signed(degrees(5), parts[8]));
}

const signed = (value, side) => Number(value) * (/[SW]/i.test(side ?? "") ? -1 : 1);

const valid = (lat, lon) => (Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? [lon, lat] : null);

// Numbers and quantities as text.

/** A number with its noun: `1 device`, `1,200 devices`. */
export const formatCount = (number, one, many = `${one}s`) => `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** A distance in metres or kilometres: `6.5 m`, `120 m`, `1.2 km`. */
export function formatMeters(value) {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} km`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)} km`;
  return value >= 10 ? `${value.toFixed(0)} m` : `${value.toFixed(1)} m`;
}

/** A speed in metres per second as kilometres per hour. */
export const formatSpeed = (value) => `${(value * 3.6).toFixed(value < 3 ? 1 : 0)} km/h`;

const compassPoints = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

/** A course in degrees clockwise from north: `SW 224°`. */
export const formatHeading = (degrees) => `${compassPoints[Math.round(degrees / 45) % 8]} ${degrees.toFixed(0)}°`;

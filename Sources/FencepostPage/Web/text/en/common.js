/** A number with its noun: `1 device`, `1,200 devices`. */
export const plural = (number, one, many = `${one}s`) => `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** The English texts of what several parts of the page share: units, times, types of events, buttons. */
export const common = {
  brand: "Fencepost",
  cancel: "Cancel",
  close: "Close",
  delete: "Delete",
  optional: "(optional)",
  tryAgain: "Try again",
  noPermission: "No permission",
  loadingFailed: "Loading failed",
  devices: (count) => plural(count, "device"),
};

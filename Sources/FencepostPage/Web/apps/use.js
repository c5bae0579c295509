import { Observable } from "../core/observable.js";

const key = "fencepost.apps";

/** Whether the view Apps was opened in this browser: until then the other parts of the page do not speak of apps. */
export const usesApps = new Observable(localStorage.getItem(key) !== null);

/** Notes that the view Apps was opened. */
export function noteUseOfApps() {
  localStorage.setItem(key, "used");
  usesApps.value = true;
}

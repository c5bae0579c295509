import { text } from "../text/text.js";

/**
 * Why a broker cannot be used, as a sentence with the cure. What the library or the system says about it follows.
 * @param {{reason?: string, detail: string}} failure
 */
export function failureSentence({ reason, detail }) {
  const sentence = text.mqtt.failures[reason ?? ""];
  if (!sentence) return detail;
  const [, words] = /\(([^()]*)\)$/.exec(detail) ?? [];
  return words ? `${sentence} (${words})` : sentence;
}

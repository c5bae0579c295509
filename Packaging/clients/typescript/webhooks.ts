/** Why a webhook is refused. */
export class WebhookVerificationError extends Error {}

const tolerance = 300;

function bytes(base64: string): Uint8Array {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/**
 * The message of a webhook, once its signature and its time are right (Standard Webhooks, `v1`).
 *
 * @param body The body as it arrived; parsed and written again it has another signature.
 * @param headers The header fields of the request, whatever the case of their names.
 * @param secret A secret of the endpoint, `whsec_…`.
 * @param now The time in milliseconds since 1970.
 * @returns The parsed message. Its `webhook-id` is the id of the message: ignore one that you have already.
 * @throws WebhookVerificationError for a wrong signature, a missing field, or a time more than five minutes away.
 */
export async function verify(
    body: string, headers: Record<string, string>, secret: string, now: number = Date.now()
): Promise<unknown> {
    const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const [id, time, signatures] = ["id", "timestamp", "signature"].map((name) => fields.get("webhook-" + name));
    if (!id || !time || !signatures) throw new WebhookVerificationError("a webhook- header field is missing");
    if (!/^[0-9]+$/.test(time) || Math.abs(now / 1000 - Number(time)) > tolerance) {
        throw new WebhookVerificationError("the time of the webhook is more than five minutes away");
    }
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey(
        "raw", bytes(secret.replace(/^whsec_/, "")), algorithm, false, ["verify"]);
    const signed = new TextEncoder().encode(`${id}.${time}.${body}`);
    for (const signature of signatures.split(" ")) {
        const [version, code] = signature.split(",");
        // Compares in constant time.
        if (version === "v1" && code && (await crypto.subtle.verify(algorithm, key, bytes(code), signed))) {
            return JSON.parse(body);
        }
    }
    throw new WebhookVerificationError("no signature of the webhook is right");
}

import type { Event } from "./models/index.js";
import { type Configuration, ResponseError } from "./runtime.js";

/** An event, and the id after which a later stream goes on. */
export interface StreamedEvent {
    kind: "event";
    id: string;
    event: Event;
}

/** The stream could not go on where it was: events before `data.oldest` are no longer stored. */
export interface Gap {
    kind: "gap";
    data: { [key: string]: unknown };
}

/** What a stream can begin with. */
export interface StreamOptions {
    /** The `id` of the last event that you have; `"0"` is before all. Without one it begins with the next event. */
    lastEventId?: string;
    /** The filters of `GET /v1/stream`, such as `{type: "region.*", deviceId: "van-*"}`. */
    query?: Record<string, string>;
    /** Ends the stream. */
    signal?: AbortSignal;
    /** Waits for so many milliseconds. */
    sleep?: (milliseconds: number) => Promise<void>;
}

/** The server sends a comment each 15 s. */
const silence = 45_000;
const longestPause = 30_000;

interface Message {
    id?: string;
    event?: string;
    data: string;
}

/** The messages of one connection, as the HTML standard parses `text/event-stream`. */
async function* messages(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<Message> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let message: Message = { data: "" };
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            onBytes();
            text += decoder.decode(value, { stream: true });
            const lines = text.split(/\r\n|\n|\r(?!$)/);
            text = lines.pop() ?? "";
            for (const line of lines) {
                const colon = line.indexOf(":");
                const name = colon < 0 ? line : line.slice(0, colon);
                const content = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
                if (line === "") {
                    if (message.data) yield message;
                    message = { data: "" };
                } else if (name === "data") message.data += (message.data && "\n") + content;
                else if (name === "id") message.id = content;
                else if (name === "event") message.event = content;
            }
        }
    } finally {
        await reader.cancel().catch(() => undefined);
    }
}

/** What a promise of the connection gives; `undefined` where the connection is lost. */
async function unlessLost<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    try {
        return await promise;
    } catch {
        return undefined;
    }
}

/**
 * Events as they come, until the signal ends the stream.
 *
 * A connection that ends, or is silent for 45 s, is made again after 1 s, then after up to 30 s. From `lastEventId`, or
 * else from the first event on, none is missing, and none comes twice.
 *
 * @param configuration That of the API, whose token has the scope `read`.
 * @throws ResponseError when the service refuses the request, such as for its token or a filter.
 */
export async function* stream(
    configuration: Configuration, options: StreamOptions = {}
): AsyncGenerator<StreamedEvent | Gap> {
    const sleep = options.sleep ?? ((time: number) => new Promise((resolve) => setTimeout(resolve, time)));
    const token = await configuration.accessToken?.("bearer", []);
    const url = `${configuration.basePath}/v1/stream?${new URLSearchParams(options.query ?? {})}`;
    let { lastEventId } = options;
    let pause = 1000;
    while (!options.signal?.aborted) {
        const connection = new AbortController();
        const end = () => connection.abort();
        options.signal?.addEventListener("abort", end, { once: true });
        let timer = setTimeout(end, silence);
        try {
            const headers: Record<string, string> = { Accept: "text/event-stream" };
            if (token) headers.Authorization = `Bearer ${token}`;
            if (lastEventId !== undefined) headers["Last-Event-ID"] = lastEventId;
            const ask = configuration.fetchApi ?? fetch;
            const response = await unlessLost(ask(url, { headers, signal: connection.signal }));
            if (response && !response.ok && response.status !== 429 && response.status < 500) {
                throw new ResponseError(response, "the stream is refused");
            }
            if (response?.ok && response.body) {
                const source = messages(response.body, () => {
                    clearTimeout(timer);
                    timer = setTimeout(end, silence);
                });
                for (;;) {
                    const message = (await unlessLost(source.next()))?.value;
                    if (!message) break;
                    pause = 1000;
                    const data = JSON.parse(message.data);
                    if (message.event === "gap") {
                        yield { kind: "gap", data };
                        continue;
                    }
                    lastEventId = message.id ?? lastEventId;
                    yield { kind: "event", id: lastEventId ?? "", event: data as Event };
                }
            }
        } finally {
            clearTimeout(timer);
            options.signal?.removeEventListener("abort", end);
            connection.abort();
        }
        if (options.signal?.aborted) return;
        await sleep(pause);
        pause = Math.min(2 * pause, longestPause);
    }
}

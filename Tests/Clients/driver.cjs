// The client in TypeScript, driven by the suite: a line of JSON on standard input is a task, and so is its result.
const [folder, url, token] = process.argv.slice(2);
const client = require(folder);
const lines = require("node:readline").createInterface({ input: process.stdin });

const configuration = (basePath) => new client.Configuration({ basePath, accessToken: token });

// Calls an operation by the name of its description.
async function call(task) {
    const api = new client[`${task.tag}Api`](configuration(url));
    const parameters = { ...task.query };
    if ("id" in task) parameters.id = task.id;
    if ("body" in task) {
        const name = task.type[0].toLowerCase() + task.type.slice(1);
        parameters[name] = task.body;
    }
    try {
        return await api[task.operation](parameters);
    } catch (error) {
        if (!(error instanceof client.ResponseError)) throw error;
        return await error.response.json();
    }
}

async function perform(task) {
    switch (task.do) {
        case "call": return call(task);
        case "verify":
            try {
                return await client.verify(task.body, task.headers, task.secret);
            } catch (error) {
                if (!(error instanceof client.WebhookVerificationError)) throw error;
                return "refused";
            }
        case "stream": {
            const events = [];
            let pauses = 0;
            const options = { lastEventId: task.after, query: task.query, sleep: async () => { pauses += 1; } };
            for await (const one of client.stream(configuration(task.url), options)) {
                events.push([one.id, one.event]);
                if (events.length === task.count) break;
            }
            return { events, pauses };
        }
    }
}

(async () => {
    for await (const line of lines) {
        const result = await perform(JSON.parse(line));
        console.log(JSON.stringify(result === undefined ? null : result));
    }
})();

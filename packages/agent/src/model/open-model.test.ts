import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runSteps } from "../conversation/run-steps.ts";
import type { AnswerBounds } from "./open-model.ts";
import { openModel } from "./open-model.ts";

const KEY = "gsk_0123456789abcdef";

/** Asks a model on a server that behaves as it is told to. */
async function ask(
  handle: (response: ServerResponse, request: IncomingMessage) => void,
  { protocol = "openai", ...bounds }: AnswerBounds & { readonly protocol?: "openai" | "anthropic" } = {},
) {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/event-stream");
    // Else the end of a test that cuts a connection is an error of the server.
    response.on("error", () => response.destroy());
    handle(response, request);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void (server.closeAllConnections() ?? server.close()));
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return runSteps({
    model: openModel({ protocol, endpoint, model: "m", apiKey: KEY, ...bounds }),
    messages: [{ role: "user", content: "hello" }],
    settings: {},
    signal: undefined,
    onStep: async () => undefined,
    onEvent: () => undefined,
  });
}

const piece = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "1", created: 0, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

test("a server that never answers, or stops in the middle, is given up with what to do", async () => {
  const bounds = { silenceMs: 20 };
  const failure = { code: "model-failed", message: expect.stringContaining("sent nothing for 0.02 seconds") };
  await expect(ask(() => undefined, bounds)).rejects.toMatchObject(failure);
  await expect(ask((response) => void response.write(piece("Hel")), bounds)).rejects.toMatchObject(failure);
});

test("a server that drips is given up once an answer has taken too long", async () => {
  const drip = (response: ServerResponse): void => {
    const timer = setInterval(() => response.write(": still here\n\n"), 5);
    response.on("close", () => clearInterval(timer));
  };
  await expect(ask(drip, { silenceMs: 10_000, answerMs: 100 })).rejects.toMatchObject({
    code: "model-failed",
    message: expect.stringContaining("did not end its answer within 0.1 seconds"),
  });
});

test.each(["without a line's end", "as words"])(
  "an endless answer %s is cut off at its bound",
  async (how) => {
    const flood = (response: ServerResponse): void => {
      const chunk = how === "as words" ? piece("x".repeat(60_000)) : "x".repeat(65_536);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    };
    await expect(ask(flood, { answerBytes: 1_000_000 })).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining("sent more than 1000000 bytes"),
    });
  },
);

test.each(["openai", "anthropic"] as const)(
  "what is not the protocol of %s, or an error in its middle, is the server's failure and says so",
  async (protocol) => {
    const failure = { code: "model-failed" };
    for (const text of [
      "data: {not json\n\n",
      'data: {"choices": 5, "type": []}\n\n',
      'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"busy"}}\n\n',
      'data: {"error":{"type":"server_error","message":"busy"}}\n\n',
    ])
      await expect(ask((response) => void response.end(text), { protocol })).rejects.toMatchObject(failure);
  },
);

test("a connection that is cut in the middle of an answer is the server's failure", async () => {
  const cut = (response: ServerResponse): void =>
    void response.write(piece("Hel"), () => setImmediate(() => response.destroy()));
  await expect(ask(cut)).rejects.toMatchObject({ code: "model-failed" });
});

test("a page of HTML, and an empty answer, are not taken for an answer", async () => {
  const page = (response: ServerResponse): void =>
    void response.setHeader("content-type", "text/html").end("<html>Welcome</html>");
  const { ending } = await ask(page).catch((error: { readonly code: string }) => ({ ending: error.code }));
  expect(["model-failed", "unfinished"]).toContain(ending);
  const empty = await ask((response) => void response.end()).catch((error: { readonly code: string }) => ({
    ending: error.code,
  }));
  expect(["model-failed", "unfinished"]).toContain(empty.ending);
});

test("an answer that was cut off by its length is unfinished; one that ended in a server's own word is not", async () => {
  const end = (reason: string) => (response: ServerResponse) => void response.end(piece("Hello", reason));
  expect((await ask(end("length"))).ending).toBe("unfinished");
  expect(await ask(end("eos"))).toMatchObject({ ending: "answered", text: "Hello" });
});

test("nothing that a server answers repeats the key, whatever the key looks like", async () => {
  const refuse = (response: ServerResponse): void => {
    response
      .writeHead(400)
      .end(JSON.stringify({ error: { message: `Bad key ${KEY} (${KEY.slice(4, 14)})` } }));
  };
  await expect(ask(refuse)).rejects.toMatchObject({
    message: expect.stringContaining("Bad key [key] ([key])"),
  });
});

test("a redirect is not followed: the other server would get the key", async () => {
  const asked: unknown[] = [];
  const redirect = (response: ServerResponse, { url }: IncomingMessage): void => {
    asked.push(url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  };
  await expect(ask(redirect)).rejects.toThrow("sends elsewhere (307)");
  expect(asked).toEqual(["/v1/chat/completions"]);
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askChat, chatAddress } from "./chat.ts";

test.each([
  ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
  ["https://models.test/v1/", "https://models.test/v1/chat/completions"],
  ["https://models.test", "https://models.test/chat/completions"],
  ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"],
  ["http://localhost:8080/v1", "http://localhost:8080/v1/chat/completions"],
  ["http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"],
  ["http://0x7f.1/v1", "http://127.0.0.1/v1/chat/completions"],
])("%s is asked at %s", (endpoint, address) => {
  expect(chatAddress(endpoint)).toEqual({ url: new URL(address) });
});

test.each([
  ["", "The endpoint"],
  ["models.test/v1", "The endpoint"],
  ["http://models.test/v1", '"http://models.test/v1"'],
  ["http://127.0.0.1.models.test/v1", '"http://127.0.0.1.models.test/v1"'],
  ["http://localhost.models.test/v1", '"http://localhost.models.test/v1"'],
  ["http://10.0.0.1/v1", '"http://10.0.0.1/v1"'],
  ["http://[::ffff:127.0.0.1]/v1", '"http://[::ffff:7f00:1]/v1"'],
  ["ftp://models.test/v1", "The endpoint"],
  ["file:///etc/passwd", "The endpoint"],
  ["https://user:hunter2@models.test/v1", '"https://models.test/v1"'],
  ["https://hunter2@models.test/v1", '"https://models.test/v1"'],
  ["http://user:hunter2@127.0.0.1/v1", '"http://127.0.0.1/v1"'],
  ["https://models.test/v1?key=hunter2", '"https://models.test/v1"'],
  ["https://models.test/v1#hunter2", '"https://models.test/v1"'],
  ["http://models.test/v1?key=hunter2", '"http://models.test/v1"'],
  ["user:hunter2@models.test/v1", "The endpoint"],
  ["https://user:hunter2@models.test:99999/v1", "The endpoint"],
])("%j is not asked, and nothing secret in it is repeated", (endpoint, shown) => {
  expect(chatAddress(endpoint)).toEqual({ shown, problem: expect.not.stringContaining("hunter2") });
});

const KEY = "sk-0123456789abcdef";

/** The detail that a server's failure with this body leads to. */
async function read(
  body: string | Uint8Array,
  apiKey: string | undefined = KEY,
): Promise<string | undefined> {
  bodyToSend = body;
  const answer = await askChat({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`),
    ...(apiKey !== undefined && { apiKey }),
    body: { model: "m", messages: [] },
    maxAnswerBytes: 1_000,
    maxRetries: 0,
    deadline: AbortSignal.timeout(30_000),
  });
  return "failure" in answer ? answer.failure.detail : "an answer";
}

let bodyToSend: string | Uint8Array = "";
const server = createServer((_request, response) => response.writeHead(500).end(bodyToSend));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("what an endpoint says about its failure", () => {
  test.each([
    ['{"error": {"message": "model not found"}}', "model not found"],
    ['{"error": "no memory"}', "no memory"],
    ['{"message": "slow down"}', "slow down"],
    ['{"__proto__": {"error": "x"}}', '{"__proto__": {"error": "x"}}'],
    ["<h1>Bad\n  Gateway</h1>", "Bad Gateway"],
  ])("is shown on one line: %s", async (body, shown) => {
    expect(await read(body)).toBe(shown);
  });

  test.each(["", "  \n", "{}", "x".repeat(20_000)])(
    "is nothing where there is nothing to say",
    async (body) => {
      expect(await read(body)).toBeUndefined();
    },
  );

  test("is cut, and cannot write to a terminal", async () => {
    const shown = (await read(`\u001b[2J\u0007\u202e${"long ".repeat(200)}`)) ?? "";
    expect(shown.length).toBe(200);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(shown).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(await read(Uint8Array.of(0xff, 0xfe, 0x41))).toContain("A");
  });

  test("never has the key, in whole or in part", async () => {
    expect(await read(JSON.stringify({ error: `wrong key ${KEY}!` }))).toBe("wrong key [key]!");
    expect(await read("sk-012345***abcdef is unknown")).toBe("[key]***[key] is unknown");
    expect(await read([...KEY].join("\u200b"))).not.toContain("abcdef");
    expect(await read("no key", "")).toBe("no key");
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.nat(10), async (before, after, start) => {
        const part = KEY.slice(start, start + 8);
        expect((await read(before + part + after)) ?? "").not.toContain(part);
      }),
    );
  });
});

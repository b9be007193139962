import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFailure } from "./read-failure.ts";

const KEY = "sk-0123456789abcdef";
const read = (body: string | Uint8Array<ArrayBuffer>, key: string | undefined = KEY) =>
  readFailure(new Response(body, { status: 500 }), key);

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
    expect(await read("no key", undefined)).toBe("no key");
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.nat(10), async (before, after, start) => {
        const part = KEY.slice(start, start + 8);
        expect((await read(before + part + after)) ?? "").not.toContain(part);
      }),
    );
  });
});

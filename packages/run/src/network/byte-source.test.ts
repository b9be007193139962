import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteSource, sendBody } from "./byte-source.ts";
import type { BodyFraming } from "./proxy-request.ts";

/** Sends a body in pieces; gives what went on, and what was left. */
async function sent(pieces: readonly string[], framing: BodyFraming): Promise<[string, string]> {
  const from = new PassThrough();
  const to = new PassThrough();
  for (const piece of pieces) from.write(piece, "latin1");
  from.end();
  const source = new ByteSource(from);
  let through = "";
  to.on("data", (bytes: Buffer) => {
    through += bytes.toString("latin1");
  });
  await sendBody(source, to, framing);
  let left = "";
  for (let piece = await source.next(); piece !== undefined; piece = await source.next())
    left += piece.toString("latin1");
  to.end();
  return [through, left];
}

describe("a body", () => {
  test("of a length goes on to its last byte, and the bytes behind it do not", async () => {
    expect(await sent(["abc", "de", "fGET /"], { kind: "length", bytes: 6 })).toEqual(["abcdef", "GET /"]);
    expect(await sent(["GET /"], { kind: "length", bytes: 0 })).toEqual(["", "GET /"]);
    expect(await sent(["GET /"], { kind: "none" })).toEqual(["", "GET /"]);
  });

  test("in chunks goes on in chunks, in whatever pieces it comes, and the bytes behind it do not", async () => {
    const chunk = fc.stringMatching(/^[a-z\r\n]{1,30}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(chunk), fc.integer({ min: 1, max: 9 }), async (chunks, size) => {
        const written = [...chunks, ""].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
        const pieces = `${written}GET /`.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        expect(await sent(pieces, { kind: "chunked" })).toEqual([written, "GET /"]);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["5;extension=1\r\nabcde\r\n0\r\n\r\n"],
    ["+5\r\nabcde\r\n0\r\n\r\n"],
    ["0x5\r\nabcde\r\n0\r\n\r\n"],
    [" 5\r\nabcde\r\n0\r\n\r\n"],
    ["5\nabcdefghijklmnop\n0\n\n"],
    ["5\r\nabcdeX\r\n0\r\n\r\n"],
    ["5\r\nabcd\r\n0\r\n\r\n"],
    ["\r\n"],
    ["123456789\r\n"],
    ["0\r\nTrailer: 1\r\n\r\n"],
    [`${"0".repeat(100_000)}5\r\nabcde\r\n`],
  ])("with the chunks %j is refused", async (text) => {
    await expect(sent([text], { kind: "chunked" })).rejects.toThrow(/chunk/);
  });

  test("that ends early is refused", async () => {
    await expect(sent(["abc"], { kind: "length", bytes: 4 })).rejects.toThrow("ends before its body");
    await expect(sent(["5\r\nabc"], { kind: "chunked" })).rejects.toThrow("ends before its body");
  });
});

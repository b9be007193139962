import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_MESSAGE_BYTES, MarkedStream } from "./open-talk.ts";

const MARK = "aab1aab2";

function read(chunks: readonly Uint8Array[]): { data: string; messages: string[]; overflown?: true } {
  const seen: ReturnType<typeof read> = { data: "", messages: [] };
  const stream = new MarkedStream(MARK, {
    data: (bytes) => {
      seen.data += Buffer.from(bytes).toString("latin1");
    },
    message: (text) => seen.messages.push(text),
    overflow: () => {
      seen.overflown = true;
    },
  });
  for (const chunk of chunks) stream.add(chunk);
  stream.finish();
  return seen;
}

// Pieces that look like beginnings of the mark, to be cut anywhere.
const piece = fc.constantFrom("a", "aa", "aab1", "aab1aab", "b", "\n", "\0", "hello", "aab1aa\n");
const part = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => ({ data: pieces.join("") })),
  fc.constantFrom("start", "end 0 exit 1 0", "").map((message) => ({ message })),
);

test("messages and data are parted however the stream is cut", () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 8 }),
      fc.array(fc.nat(12), { minLength: 1, maxLength: 20 }),
      (parts, sizes) => {
        const text = parts.map((one) => ("data" in one ? one.data : `${MARK} ${one.message}\n`)).join("");
        fc.pre(text.split(MARK).length - 1 === parts.filter((one) => "message" in one).length);
        const bytes = Buffer.from(text, "latin1");
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = (sizes[turn % sizes.length] ?? 0) + 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read(chunks)).toEqual({
          data: parts.map((one) => ("data" in one ? one.data : "")).join(""),
          messages: parts.flatMap((one) => ("message" in one ? [one.message] : [])),
        });
      },
    ),
  );
});

test("output that cannot be the beginning of a mark is not held back", () => {
  const seen: string[] = [];
  const stream = new MarkedStream(MARK, {
    data: (bytes) => seen.push(String(bytes)),
    message: () => undefined,
    overflow: () => undefined,
  });
  stream.add(Buffer.from("question? "));
  expect(seen).toEqual(["question? "]);
});

test("a message without an end is told, and half of one is never shown", () => {
  const endless = Buffer.from(`out${MARK}${"x".repeat(MAX_MESSAGE_BYTES)}`);
  expect(read([endless, Buffer.from("more")])).toEqual({ data: "out", messages: [], overflown: true });
  expect(read([Buffer.from(`out${MARK} en`)])).toEqual({ data: "out", messages: [] });
});

import { expect, test } from "vitest";
import { readBoundedBody } from "./read-bounded-body.ts";

test("an answer of as many bytes as the bound is read whole, none is empty, and a longer one is not read", async () => {
  const read = async (text: string | null) =>
    (await readBoundedBody(new Response(text), { maxBytes: 4 }))?.toString("utf8");
  expect(await read("four")).toBe("four");
  expect(await read(null)).toBe("");
  expect(await read("fives")).toBeUndefined();
});

test("an answer without an end is left as soon as the bound is reached", async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1024)),
    cancel: () => {
      isCancelled = true;
    },
  });
  expect(await readBoundedBody(new Response(endless), { maxBytes: 10_000 })).toBeUndefined();
  expect(isCancelled).toBe(true);
});

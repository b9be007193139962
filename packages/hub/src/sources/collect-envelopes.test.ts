import { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { formatEnvelope, MAX_ENVELOPE_BYTES, signTree } from "../signature/envelope.ts";
import { createKey } from "../signature/key.ts";
import { collectEnvelopes, fetchEnvelopes } from "./collect-envelopes.ts";
import type { FetchContext } from "./fetch-context.ts";
import { fetchContextFor } from "./http/testing/fetch-context-for.ts";
import { serve } from "./http/testing/serve.ts";

const treeDigest = `sha256:${"0".repeat(64)}` as const;
const good = Buffer.from(
  formatEnvelope(signTree({ key: createKey(), statement: { name: "a", treeDigest } })),
);

/** Reads places, of which `good` is a signature and the others are what `junk` makes of them. */
function collect(places: readonly string[], junk: () => Promise<Uint8Array | undefined>) {
  return collectEnvelopes(places, fetchContextFor([]), (place) =>
    place === "good" ? Promise.resolve(good) : junk(),
  );
}

const many = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `junk ${index}`);

describe("a good signature", () => {
  test.each([
    [
      "cannot be had",
      () => Promise.reject(new SkilletError("http-status", "it answered 403")),
      "it answered 403",
    ],
    ["are not signatures", () => Promise.resolve(Buffer.from("nope")), "cannot be read"],
    ["are too large", () => Promise.resolve(Buffer.alloc(MAX_ENVELOPE_BYTES + 1)), "bytes"],
  ])("is found after others that %s, and they are named", async (_title, junk, words) => {
    const { envelopes, failures } = await collect([...many(20), "good", "junk"], junk);
    expect(envelopes).toHaveLength(1);
    expect(failures).toEqual(Array.from({ length: 21 }, () => expect.stringContaining(words)));
  });

  test("is found after those of other trees, which are not failures", async () => {
    const found = await collect([...many(20), "good"], () => Promise.resolve(undefined));
    expect(found).toMatchObject({ envelopes: [{}], failures: [] });
  });
});

describe("signatures without end", () => {
  test("are looked at up to a number, and what was left is said", async () => {
    let asked = 0;
    const found = await collect([...many(300), "good"], () => {
      asked += 1;
      return Promise.resolve(undefined);
    });
    expect(asked).toBeLessThan(300);
    expect(found).toEqual({
      envelopes: [],
      failures: [`${301 - asked} more of 301 were not looked at`],
    });
  });

  test("are looked at up to a sum of bytes", async () => {
    let asked = 0;
    const found = await collect(many(200), () => {
      asked += 1;
      return Promise.resolve(Buffer.alloc(MAX_ENVELOPE_BYTES));
    });
    expect(asked).toBeLessThan(200);
    expect(found.failures.at(-1)).toContain("were not looked at");
  });
});

test("what is never there ends with the time for one download, and the rest is not waited for", async () => {
  const context = fetchContextFor([], { limits: { deadlineMs: 1 } });
  const read = (_place: string, { signal }: FetchContext): Promise<Uint8Array> =>
    new Promise((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  expect(await collectEnvelopes(["stalled", "good"], context, read)).toEqual({
    envelopes: [],
    failures: ["one was not there in time", "1 more of 2 were not looked at"],
  });
});

test("an unexpected error is not passed over, and an aborted call rejects with its own reason", async () => {
  await expect(collect(["junk"], () => Promise.reject(new TypeError("a fault of ours")))).rejects.toThrow(
    "ours",
  );
  const controller = new AbortController();
  const context = fetchContextFor([], { signal: controller.signal });
  const read = (): Promise<undefined> => {
    controller.abort(new Error("enough"));
    return Promise.reject(new SkilletError("http-status", "it answered 403"));
  };
  await expect(collectEnvelopes(["junk", "good"], context, read)).rejects.toThrow("enough");
});

test.each([403, 404, 500])("an address that answers %i does not hide the next signature", async (status) => {
  const statement = { name: "a", treeDigest: `sha256:${"0".repeat(64)}` } as const;
  const envelope = formatEnvelope(signTree({ key: createKey(), statement }));
  const { origin, host } = await serve((request, response) => {
    if (request.url === "/bad") response.writeHead(status, { "content-length": 0 }).end();
    else response.writeHead(200, { "content-length": Buffer.byteLength(envelope) }).end(envelope);
  });
  const urls = [`${origin}/bad`, "ftp://example.com/x", `${origin}/good`];
  const { envelopes, failures } = await fetchEnvelopes(urls, fetchContextFor([host]));
  expect(envelopes.map((found) => formatEnvelope(found))).toEqual([envelope]);
  expect(failures).toEqual([expect.stringContaining(`/bad answered ${status}`), expect.any(String)]);
});

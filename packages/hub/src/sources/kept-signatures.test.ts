import { expect, test } from "vitest";
import type { Envelope } from "../signature/envelope.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { keepSignatures, keptSignatures } from "./collect-envelopes.ts";

const digest = `sha256:${"0".repeat(64)}` as const;

function envelope(payload: string): Envelope {
  const signature = { keyid: "", sig: "AAAA" };
  return { payloadType: "x", payload, signatures: Array.from({ length: 16 }, () => signature) };
}

test("signatures are kept, and of more than are read again the first ones", async () => {
  const home = temporaryDirectory();
  const first = envelope("AAAA");
  const large = Array.from({ length: 30 }, () => envelope("AAAA".repeat(60_000)));
  await keepSignatures(home, digest, [first, ...large]);
  const { envelopes, failures } = keptSignatures(home, digest);
  expect(envelopes[0]).toEqual(first);
  expect(envelopes.length).toBeGreaterThan(10);
  expect(envelopes.length).toBeLessThan(31);
  expect(failures).toEqual([]);
});

test("where none were kept there are none", () => {
  expect(keptSignatures(temporaryDirectory(), digest)).toEqual({ envelopes: [], failures: [] });
});

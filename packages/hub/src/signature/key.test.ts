import { describe, expect, test } from "vitest";
import { createKey, formatPublicKey, readKey } from "./key.ts";

const SMALL_ORDER: readonly (readonly [string, string])[] = [
  ["zero", "00".repeat(32)],
  ["the neutral point", "01".padEnd(64, "0")],
  ["of order two", `ec${"ff".repeat(30)}7f`],
  ["of order eight", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"],
  ["the other of order eight", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
  ["zero in its second spelling", `ed${"ff".repeat(30)}7f`],
  ["the neutral point in its second spelling", `ee${"ff".repeat(30)}7f`],
];
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

/** A key in every form that a public one comes in. */
function formsOf(raw: Buffer): readonly string[] {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const wire = Buffer.concat([field(Buffer.from("ssh-ed25519")), field(raw)]);
  const pem = Buffer.concat([SPKI, raw]).toString("base64");
  return [
    `ed25519:${raw.toString("base64")}`,
    `ssh-ed25519 ${wire.toString("base64")} me`,
    `-----BEGIN PUBLIC KEY-----\n${pem}\n-----END PUBLIC KEY-----\n`,
  ];
}

describe("a key for which anyone can sign anything", () => {
  test.each(SMALL_ORDER)("is refused in every form, with either sign: %s", (_title, hex) => {
    const plain = Buffer.from(hex, "hex");
    const negative = Buffer.from(plain);
    negative[31]! |= 0x80;
    for (const form of [...formsOf(plain), ...formsOf(negative)])
      expect(() => readKey(form)).toThrow(expect.objectContaining({ code: "signing-key-malformed" }));
  });

  test("is none that was made here", () => {
    for (let count = 0; count < 20; count++) {
      const key = createKey();
      const raw = Buffer.from(formatPublicKey(key).slice("ed25519:".length), "base64");
      for (const form of formsOf(raw)) expect(readKey(form).id).toBe(key.id);
    }
  });
});

import { execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { checkSignaturePolicy } from "./check-signature-policy.ts";
import {
  type Envelope,
  formatEnvelope,
  parseEnvelope,
  STATEMENT_TYPE,
  signEnvelope,
  signTree,
  verifySignature,
} from "./envelope.ts";
import { createKey, formatPrivateKey, formatPublicKey, readKey, readSigningKey } from "./key.ts";

const SSH_KEYGEN = "/usr/bin/ssh-keygen";
if (!existsSync(SSH_KEYGEN)) console.warn(`Keys of OpenSSH are not tested: ${SSH_KEYGEN} is not installed.`);

const DIGEST: Digest = digestBytes(Buffer.from("tree"));
const OTHER: Digest = digestBytes(Buffer.from("another tree"));
const key = createKey();
const stranger = createKey();
const envelope = signTree({ key, statement: { name: "pdf-tools", treeDigest: DIGEST, version: "1.0.0" } });

describe("signTree and verifySignature", () => {
  test("a signature holds for its tree and its key alone", () => {
    const statement = { name: "pdf-tools", treeDigest: DIGEST, version: "1.0.0" };
    expect(verifySignature(envelope, [stranger, key], DIGEST)).toEqual({
      state: "verified",
      signers: [key.id],
      statement,
    });
    expect(verifySignature(envelope, [key], OTHER)).toEqual({
      state: "other-tree",
      signers: [key.id],
      statement,
    });
    expect(verifySignature(envelope, [stranger], DIGEST)).toEqual({ state: "untrusted" });
    expect(verifySignature(envelope, [], DIGEST)).toEqual({ state: "untrusted" });
  });

  test("the same statement and key give the same bytes, which read back as they were", () => {
    const again = signTree({ key, statement: { treeDigest: DIGEST, version: "1.0.0", name: "pdf-tools" } });
    expect(formatEnvelope(again)).toBe(formatEnvelope(envelope));
    expect(parseEnvelope(Buffer.from(formatEnvelope(envelope)))).toEqual(envelope);
  });

  test("any character changed in the envelope's text leaves it without a signature", () => {
    const text = formatEnvelope(envelope);
    const start = text.indexOf(envelope.payload);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.stringMatching(/^[ -~]$/), (index, character) => {
        fc.pre(text[index] !== character);
        // The key's id is a hint, and white space says nothing.
        const changed = `${text.slice(0, index)}${character}${text.slice(index + 1)}`;
        const reading = tryToVerify(changed);
        if (reading === "verified") expect(withoutHints(changed)).toBe(withoutHints(text));
        if (index >= start && index < start + envelope.payload.length) expect(reading).not.toBe("verified");
      }),
      { numRuns: 600 },
    );
  });

  test("a key's id in the envelope decides nothing", () => {
    const [signature] = envelope.signatures;
    const claimed = { ...envelope, signatures: [{ keyid: stranger.id, sig: signature!.sig }] };
    expect(verifySignature(claimed, [stranger], DIGEST).state).toBe("untrusted");
    expect(verifySignature(claimed, [key], DIGEST).state).toBe("verified");
  });

  test("a payload of another type is not a statement, though the same key signed the same bytes", () => {
    const payload = Buffer.from(envelope.payload, "base64");
    const head = signEnvelope("application/vnd.skillet.audit-head+json", payload, key);
    expect(verifySignature(head, [key], DIGEST)).toEqual({ state: "not-a-statement" });
    expect(verifySignature({ ...head, payloadType: STATEMENT_TYPE }, [key], DIGEST)).toEqual({
      state: "untrusted",
    });
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["no signatures", '{"payloadType":"x","payload":""}'],
    ["lax base64", '{"payloadType":"x","payload":"AA=","signatures":[]}'],
    ["a signature of another type", '{"payloadType":"x","payload":"","signatures":[1]}'],
    [
      "very many signatures",
      JSON.stringify({ payloadType: "x", payload: "", signatures: Array(17).fill({ sig: "" }) }),
    ],
    ["very many bytes", " ".repeat(300_000)],
  ])("an envelope of %s is refused", (_title, text) => {
    expect(() => parseEnvelope(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: "signature-malformed" }),
    );
  });

  test("openssl checks a signature with nothing but the pre-authentication encoding", () => {
    const directory = temporaryDirectory();
    const payload = Buffer.from(envelope.payload, "base64");
    const head = `DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `;
    writeFileSync(join(directory, "message"), Buffer.concat([Buffer.from(head), payload]));
    writeFileSync(join(directory, "signature"), Buffer.from(envelope.signatures[0]!.sig, "base64"));
    writeFileSync(join(directory, "key.pem"), key.publicKey.export({ type: "spki", format: "pem" }));
    const flags = ["-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "message"];
    const said = execFileSync("openssl", ["pkeyutl", ...flags, "-sigfile", "signature"], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(said).toContain("Verified Successfully");
    const der = execFileSync("openssl", ["pkey", "-pubin", "-in", "key.pem", "-outform", "DER"], {
      cwd: directory,
    });
    expect(`sha256:${createHash("sha256").update(der).digest("hex")}`).toBe(key.id);
  });
});

describe("readKey", () => {
  test("every form of a key is the same key", () => {
    const pem = String(key.publicKey.export({ type: "spki", format: "pem" }));
    for (const text of [formatPrivateKey(key), formatPublicKey(key), pem])
      expect(readKey(text).id).toBe(key.id);
  });

  test.skipIf(!existsSync(SSH_KEYGEN))(
    "keys that ssh-keygen made sign, and encrypted ones are refused with a way out",
    async () => {
      const directory = temporaryDirectory();
      const make = (file: string, passphrase: string, type = "ed25519"): string => {
        const flags = ["-q", "-t", type, "-N", passphrase, "-C", "me", "-f", join(directory, file)];
        execFileSync(SSH_KEYGEN, flags);
        return join(directory, file);
      };
      const signing = await readSigningKey(make("plain", ""));
      const verifying = readKey(readFileSync(join(directory, "plain.pub"), "utf8"));
      expect(verifying.id).toBe(signing.id);
      const signed = signTree({ key: signing, statement: { name: "x", treeDigest: DIGEST } });
      expect(verifySignature(signed, [verifying], DIGEST).state).toBe("verified");
      await expect(readSigningKey(make("locked", "a passphrase"))).rejects.toMatchObject({
        code: "signing-key-encrypted",
      });
      await expect(readSigningKey(make("other", "", "ecdsa"))).rejects.toMatchObject({
        code: "signing-key-malformed",
      });
      await expect(readSigningKey(join(directory, "plain.pub"))).rejects.toMatchObject({
        code: "signing-key-public",
      });
    },
  );

  test("a private key that others may read is refused", async () => {
    const path = join(temporaryDirectory(), "key.pem");
    await expect(readSigningKey(path)).rejects.toMatchObject({ code: "signing-key-not-found" });
    writeFileSync(path, formatPrivateKey(key));
    chmodSync(path, 0o644);
    await expect(readSigningKey(path)).rejects.toMatchObject({ code: "signing-key-exposed" });
    chmodSync(path, 0o600);
    expect((await readSigningKey(path)).id).toBe(key.id);
  });

  test("no text makes it fail in another way, and no message repeats the text", () => {
    const secret = formatPrivateKey(key);
    const mangled = fc
      .tuple(fc.nat(secret.length - 1), fc.stringMatching(/^[ -~]{0,3}$/))
      .map(([index, text]) => `${secret.slice(0, index)}${text}${secret.slice(index + 1)}`);
    fc.assert(
      fc.property(
        fc.oneof(
          mangled,
          fc.string(),
          fc.string().map((text) => `ssh-ed25519 AAAA${text}`),
        ),
        (text) => {
          try {
            readKey(text);
          } catch (error) {
            expect(error).toMatchObject({
              code: expect.stringMatching(/^signing-key-(malformed|encrypted)$/),
            });
            expect((error as Error).message).not.toContain(secret.split("\n")[1]!.slice(30));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("a key of another type is refused by name", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
    expect(() => readKey(String(rsa.export({ type: "pkcs8", format: "pem" })))).toThrow(/its type is rsa/);
  });

  test("an OpenSSH key whose halves do not belong together is refused", () => {
    const wire = (bytes: Uint8Array | string): Buffer => {
      const content = Buffer.from(bytes as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length);
      return Buffer.concat([length, content]);
    };
    const raw = (text: string): Buffer => Buffer.from(text.slice("ed25519:".length), "base64");
    const seed = key.privateKey.export({ type: "pkcs8", format: "der" }).subarray(16);
    const foreign = raw(formatPublicKey(stranger));
    const publicPart = Buffer.concat([wire("ssh-ed25519"), wire(foreign)]);
    const inner = Buffer.concat([
      ...[Buffer.alloc(8), wire("ssh-ed25519"), wire(foreign)],
      ...[wire(Buffer.concat([seed, foreign])), wire("")],
    ]);
    const one = Buffer.from([0, 0, 0, 1]);
    const all = [Buffer.from("openssh-key-v1\0"), wire("none"), wire("none"), wire(""), one];
    const body = Buffer.concat([...all, wire(publicPart), wire(inner)]).toString("base64");
    const text = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`;
    expect(() => readKey(text)).toThrow(/halves do not belong together/);
    const wrapped = (bytes: Buffer): string =>
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString("base64")}\n-----END OPENSSH PRIVATE KEY-----`;
    const [magic = one] = all;
    const locked = Buffer.concat([magic, wire("aes256-ctr"), wire("bcrypt"), wire(Buffer.alloc(24)), one]);
    expect(() => readKey(wrapped(locked))).toThrow(/is encrypted/);
    expect(() => readKey(wrapped(Buffer.concat([magic, wire("nome"), wire("none")])))).toThrow(/is damaged/);
  });
});

describe("checkSignaturePolicy", () => {
  const check = (sources: string, keys: readonly string[], envelopes: readonly Envelope[] = [envelope]) =>
    checkSignaturePolicy({
      requireSignature: [{ sources, keys }],
      sources: ["github:acme/skills", "https://github.com/acme/skills"],
      digest: DIGEST,
      names: ["pdf-tools"],
      envelopes,
    });
  const own = formatPublicKey(key);

  test("a rule holds for every spelling of a source and all below it, and is satisfied by any of its keys", () => {
    for (const pattern of [
      "*",
      "github:acme/*",
      "github:acme",
      "acme/*",
      "https://github.com/acme/skills",
      "https://*/acme/*",
      "*skills",
    ])
      expect(check(pattern, [formatPublicKey(stranger), own])).toMatchObject({
        state: "satisfied",
        signers: [key.id],
        statements: [{ name: "pdf-tools" }],
        envelopes: [envelope],
      });
    for (const pattern of ["github:acm", "github:other/*", "*x*", "github:acme/skills*skills"])
      expect(check(pattern, [own])).toEqual({ state: "not-required" });
  });

  test("patterns mean the same as regular expressions would", () => {
    // Letters that stand in no beginning that is put before them.
    const letters = (alphabet: string) =>
      fc.array(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(letters("xy**"), letters("xy"), (pattern, source) => {
        const rule = { sources: pattern, keys: [own] };
        const question = {
          requireSignature: [rule],
          sources: [source],
          digest: DIGEST,
          envelopes: [],
          names: [],
        };
        const isMatch = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(source);
        expect(checkSignaturePolicy(question).state).toBe(isMatch ? "refused" : "not-required");
      }),
      { numRuns: 1000 },
    );
  });

  test("a signature for another name is refused, though the files are the same", () => {
    const question = { requireSignature: [{ sources: "*", keys: [own] }], sources: ["a/b"], digest: DIGEST };
    for (const names of [["other"], ["pdf-tools", "other"]])
      expect(checkSignaturePolicy({ ...question, names, envelopes: [envelope] })).toMatchObject({
        state: "refused",
        message: expect.stringContaining('signed it as "pdf-tools", not as "other"'),
      });
    const second = signTree({ key, statement: { name: "other", treeDigest: DIGEST } });
    expect(
      checkSignaturePolicy({ ...question, names: ["other"], envelopes: [envelope, second] }),
    ).toMatchObject({ state: "satisfied", statements: [{ name: "other" }] });
  });

  test("what is not signed, signed by another or signed for other files is refused, and why is said", () => {
    const foreign = signTree({ key, statement: { name: "pdf-tools", treeDigest: OTHER } });
    expect(check("*", [own], [])).toMatchObject({
      state: "refused",
      message: expect.stringContaining("none"),
    });
    expect(check("*", [own], [foreign])).toMatchObject({ message: expect.stringContaining("other files") });
    expect(check("*", [formatPublicKey(stranger)])).toMatchObject({
      message: expect.stringContaining("no key"),
    });
    expect(check("*", [])).toMatchObject({ state: "refused" });
    expect(check("*", [own], [foreign, envelope])).toMatchObject({ state: "satisfied" });
  });

  test("every rule that fits must be satisfied", () => {
    const rules = [
      { sources: "*", keys: [own] },
      { sources: "github:acme/*", keys: [formatPublicKey(stranger)] },
    ];
    const options = {
      requireSignature: rules,
      sources: ["github:acme/x"],
      digest: DIGEST,
      names: ["pdf-tools"],
    };
    expect(checkSignaturePolicy({ ...options, envelopes: [envelope] })).toMatchObject({ state: "refused" });
    const second = signTree({ key: stranger, statement: { name: "pdf-tools", treeDigest: DIGEST } });
    expect(checkSignaturePolicy({ ...options, envelopes: [envelope, second] })).toMatchObject({
      state: "satisfied",
      signers: [key.id, stranger.id].sort(),
    });
  });

  test("a rule whose key cannot be read is an error, not a rule less", () => {
    expect(() => check("*", ["ed25519:AAAA"])).toThrow(
      expect.objectContaining({ code: "signing-key-malformed" }),
    );
  });
});

function tryToVerify(text: string): string {
  try {
    return verifySignature(parseEnvelope(Buffer.from(text)), [key], DIGEST).state;
  } catch (error) {
    expect(error).toMatchObject({ code: "signature-malformed" });
    return "malformed";
  }
}

function withoutHints(text: string): string {
  const { payloadType, payload, signatures } = JSON.parse(text) as Envelope;
  return JSON.stringify([payloadType, payload, signatures.map(({ sig }) => sig)]);
}

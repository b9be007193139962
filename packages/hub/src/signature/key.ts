import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { stat } from "node:fs/promises";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";

export interface VerifyingKey {
  /** SHA-256 of the public key in its SPKI form, as `openssl pkey -pubin -outform DER | sha256sum` prints it. */
  readonly id: Digest;
  readonly publicKey: KeyObject;
}

/** A key pair; the private half never leaves the process but by `formatPrivateKey`. */
export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

/** Makes a new Ed25519 key. */
export function createKey(): SigningKey {
  return signingKey(generateKeyPairSync("ed25519").privateKey);
}

/** The private half as PKCS #8 PEM, which `readKeyFile` and openssl read. */
export function formatPrivateKey(key: SigningKey): string {
  return key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public half on one line, `ed25519:` and base64, as policies name it. */
export function formatPublicKey(key: VerifyingKey): string {
  return `ed25519:${rawPublicKey(key.publicKey).toString("base64")}`;
}

function signingKey(privateKey: KeyObject): SigningKey {
  return { ...verifyingKey(createPublicKey(privateKey)), privateKey };
}

/** A public key and its id; keys that prove nothing are refused, in every form. */
function verifyingKey(publicKey: KeyObject): VerifyingKey {
  if (isWeakKey(rawPublicKey(publicKey)))
    throw malformedKey("it is a point for which anyone can sign anything");
  return { id: digestBytes(publicKey.export({ type: "spki", format: "der" })), publicKey };
}

// RFC 8410: fixed beginnings, then the 32 bytes themselves.
const SPKI_START = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8_START = Buffer.from("302e020100300506032b657004220420", "hex");
const RAW_BYTES = 32;

function publicKeyOfRaw(bytes: Uint8Array | undefined, what: string): KeyObject {
  if (bytes?.length !== RAW_BYTES) throw malformedKey(what);
  return createPublicKey({ key: Buffer.concat([SPKI_START, bytes]), format: "der", type: "spki" });
}

function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: "spki", format: "der" }).subarray(SPKI_START.length);
}

const MAX_KEY_BYTES = 16_384;

/**
 * Reads an Ed25519 key from its text; one with a private half can sign.
 *
 * Understands PEM (PKCS #8 and SPKI), unencrypted OpenSSH private keys, `ssh-ed25519 …` lines and `ed25519:…`.
 */
export function readKey(text: string): SigningKey | VerifyingKey {
  const trimmed = text.trim();
  if (trimmed.length > MAX_KEY_BYTES) throw malformedKey("it is too long");
  if (trimmed.startsWith("ed25519:")) {
    const raw = decodeBase64(trimmed.slice("ed25519:".length));
    return verifyingKey(publicKeyOfRaw(raw, "`ed25519:` needs 32 bytes in base64"));
  }
  const [, form] = /^-----BEGIN ([A-Z ]+)-----/.exec(trimmed) ?? [];
  if (form === "OPENSSH PRIVATE KEY") return readOpensshPrivateKey(trimmed);
  if (form === "ENCRYPTED PRIVATE KEY" || trimmed.includes("Proc-Type: 4,ENCRYPTED")) throw encryptedKey();
  if (form === "PRIVATE KEY") return signingKey(ed25519(() => createPrivateKey(trimmed)));
  if (form === "PUBLIC KEY") return verifyingKey(ed25519(() => createPublicKey(trimmed)));
  if (/^[a-z0-9@.-]+ AAAA/.test(trimmed)) return verifyingKey(readOpensshPublicKey(trimmed));
  throw malformedKey("it has none of the known forms");
}

/** Reads a key that can sign from a file that is its owner's alone. */
export async function readSigningKey(path: string): Promise<SigningKey> {
  const bytes = readBoundedFile(path, { maxBytes: MAX_KEY_BYTES });
  if (bytes === undefined) {
    const message = `There is no signing key at ${path}; create one, or name another file.`;
    throw new SkilletError("signing-key-not-found", message, { data: { path } });
  }
  const key = readKey(Buffer.from(bytes).toString());
  if (!("privateKey" in key)) {
    const message = `${path} holds a public key, which cannot sign; name the file of the private one.`;
    throw new SkilletError("signing-key-public", message, { data: { path } });
  }
  // Windows has no such bits.
  if (process.platform !== "win32" && ((await stat(path)).mode & 0o077) !== 0) {
    const message = `Others on this machine may read the signing key ${path}; run \`chmod 600\` on it, and replace the key if they did.`;
    throw new SkilletError("signing-key-exposed", message, { data: { path } });
  }
  return key;
}

function ed25519(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    // OpenSSL has a code for every way to be malformed; all mean the same here.
    throw malformedKey("it cannot be decoded", error);
  }
  if (key.asymmetricKeyType !== "ed25519") throw malformedKey(`its type is ${key.asymmetricKeyType}`);
  return key;
}

const MAGIC = Buffer.from("openssh-key-v1\0");

/** Reads an unencrypted `OPENSSH PRIVATE KEY` (PROTOCOL.key of OpenSSH). */
function readOpensshPrivateKey(text: string): SigningKey {
  const [, body = ""] =
    /^-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*)-----END OPENSSH PRIVATE KEY-----$/.exec(text) ?? [];
  const bytes = decodeBase64(body.replace(/\s/g, ""));
  if (!bytes?.subarray(0, MAGIC.length).equals(MAGIC)) throw malformedKey("it cannot be decoded");
  const outer = new WireReader(bytes.subarray(MAGIC.length));
  const cipher = outer.string().toString("latin1");
  outer.string();
  outer.string();
  if (cipher !== "none") throw encryptedKey();
  if (outer.number() !== 1) throw malformedKey("the file holds several keys");
  const publicWire = outer.string();
  const inner = new WireReader(outer.string());
  // Two equal numbers show that decryption went well; without a cipher they show that nothing was changed by accident.
  const [check, again] = [inner.number(), inner.number()];
  if (check !== again) throw malformedKey("its check numbers differ");
  checkType(inner.string());
  const publicBytes = inner.string();
  const both = inner.string();
  if (both.length !== 2 * RAW_BYTES) throw malformedKey("its parts have the wrong length");
  const stated = verifyingKey(publicKeyOfRaw(publicBytes, "its parts have the wrong length"));
  const seed = Buffer.concat([PKCS8_START, both.subarray(0, RAW_BYTES)]);
  const key = signingKey(createPrivateKey({ key: seed, format: "der", type: "pkcs8" }));
  // A wrong public half would let two signatures give the private one away.
  if (key.id !== stated.id || key.id !== verifyingKey(publicKeyOfWire(publicWire)).id)
    throw malformedKey("its halves do not belong together");
  return key;
}

function readOpensshPublicKey(line: string): KeyObject {
  const [type = "", body = ""] = line.split(/\s+/, 2);
  checkType(Buffer.from(type));
  const bytes = decodeBase64(body);
  if (bytes === undefined) throw malformedKey("it cannot be decoded");
  return publicKeyOfWire(bytes);
}

function publicKeyOfWire(bytes: Uint8Array): KeyObject {
  const wire = new WireReader(bytes);
  checkType(wire.string());
  return publicKeyOfRaw(wire.string(), "it has the wrong length");
}

function checkType(bytes: Buffer): void {
  const type = bytes.toString("latin1");
  if (type !== "ssh-ed25519") throw malformedKey(`its type is ${JSON.stringify(type.slice(0, 40))}`);
}

class WireReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes);
  }

  number(): number {
    if (this.#offset + 4 > this.#bytes.length) throw malformedKey("it is cut short");
    const value = this.#bytes.readUInt32BE(this.#offset);
    this.#offset += 4;
    return value;
  }

  string(): Buffer {
    const length = this.number();
    const value = this.#bytes.subarray(this.#offset, this.#offset + length);
    if (value.length !== length) throw malformedKey("it is cut short");
    this.#offset += length;
    return value;
  }
}

/** The key's text itself is never part of the message. */
function malformedKey(what: string, cause?: unknown): SkilletError {
  const message = `This is not an Ed25519 key: ${what}; give a PEM or OpenSSH key of that type, or \`ed25519:\` and base64.`;
  return new SkilletError("signing-key-malformed", message, { cause });
}

function encryptedKey(): SkilletError {
  const message =
    "The key is encrypted, and encrypted keys are not read; use one for publishing alone without a passphrase, kept where secrets are.";
  return new SkilletError("signing-key-encrypted", message);
}

const HIGHEST = (1n << 255n) - 1n;
const PRIME = (1n << 255n) - 19n;
const ORDER_EIGHT = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, PRIME - 1n, ORDER_EIGHT, PRIME - ORDER_EIGHT]);

/**
 * Whether a public key is one for which anyone can sign, or is written in a way that only lenient readers take.
 *
 * For points of small order, signatures hold that were never made. There are eight, by five values of y; values from the
 * prime on are second spellings. The highest bit is the sign of x and says nothing about it.
 */
function isWeakKey(raw: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(raw).reverse().toString("hex")}`) & HIGHEST;
  return y >= PRIME || SMALL_ORDER.has(y);
}

/** The bytes of canonical base64, or nothing: Node's own decoder skips characters that it does not understand. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

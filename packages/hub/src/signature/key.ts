import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { stat } from "node:fs/promises";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";

export interface VerifyingKey {
  /** SHA-256 of the public key in SPKI form, as `openssl pkey -pubin -outform DER | sha256sum` prints it. */
  readonly id: Digest;
  readonly publicKey: KeyObject;
}

/** A key pair; the private half leaves the process only through `formatPrivateKey`. */
export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

/** Creates a new Ed25519 key. */
export function createKey(): SigningKey {
  return signingKey(generateKeyPairSync("ed25519").privateKey);
}

/** The private half as PKCS #8 PEM, which `readSigningKey` and openssl read. */
export function formatPrivateKey(key: SigningKey): string {
  return key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public half on one line, `ed25519:` and base64, as used in policies. */
export function formatPublicKey(key: VerifyingKey): string {
  return `ed25519:${rawPublicKey(key.publicKey).toString("base64")}`;
}

function signingKey(privateKey: KeyObject): SigningKey {
  return { ...verifyingKey(createPublicKey(privateKey)), privateKey };
}

/** A public key and its id; keys that prove nothing are refused, in every format. */
function verifyingKey(publicKey: KeyObject): VerifyingKey {
  if (isWeakKey(rawPublicKey(publicKey)))
    throw malformedKey("it is a point for which anyone can sign anything");
  return { id: digestBytes(publicKey.export({ type: "spki", format: "der" })), publicKey };
}

// RFC 8410: fixed prefixes, then the 32 bytes themselves.
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
 * Reads an Ed25519 key from its text; a key with a private half can sign.
 *
 * Accepts PEM (PKCS #8 and SPKI), unencrypted OpenSSH private keys, `ssh-ed25519 …` lines and `ed25519:…`.
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

/** Reads a signing key from a file that only its owner can read. */
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
    // OpenSSL has a code for every kind of malformed key; all mean the same here.
    throw malformedKey("it cannot be decoded", error);
  }
  if (key.asymmetricKeyType !== "ed25519") throw malformedKey(`its type is ${key.asymmetricKeyType}`);
  return key;
}

// In an Ed25519 key, all lengths up to the comment are fixed (RFC 8709, and PROTOCOL.key of OpenSSH).
const WIRE_START = Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0\x20", "latin1");
const MAGIC = Buffer.from("openssh-key-v1\0");
const UNENCRYPTED = Buffer.concat([MAGIC, Buffer.from("\0\0\0\x04none\0\0\0\x04none\0\0\0\0", "latin1")]);
// A cipher, and the only way in which OpenSSH derives its key from a passphrase.
// biome-ignore lint/suspicious/noControlCharactersInRegex: lengths are in binary
const ENCRYPTED = /^openssh-key-v1\0\0\0\0[\x05-\x40][a-z0-9@.-]+\0\0\0\x06bcrypt\0/;
const ONE_KEY = Buffer.concat([UNENCRYPTED, Buffer.from("\0\0\0\x01\0\0\0\x33", "latin1"), WIRE_START]);

function readOpensshPrivateKey(text: string): SigningKey {
  const [, body = ""] =
    /^-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*)-----END OPENSSH PRIVATE KEY-----$/.exec(text) ?? [];
  const bytes = decodeBase64(body.replace(/\s/g, ""));
  if (bytes === undefined || !startsWith(bytes, MAGIC)) throw malformedKey("it cannot be decoded");
  if (!startsWith(bytes, UNENCRYPTED))
    throw ENCRYPTED.test(bytes.toString("latin1")) ? encryptedKey() : malformedKey("it is damaged");
  if (!startsWith(bytes, ONE_KEY)) throw malformedKey("the file holds several keys, or one of another type");
  let offset = ONE_KEY.length;
  const take = (length: number): Buffer => {
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const [outer, , check, again] = [take(RAW_BYTES), take(4), take(4), take(4)];
  const [start, inner, , seed] = [take(WIRE_START.length), take(RAW_BYTES), take(4), take(RAW_BYTES)];
  // Two equal numbers show that decryption worked; without a cipher, they show that nothing was damaged by accident.
  if (!check.equals(again) || !start.equals(WIRE_START) || seed.length !== RAW_BYTES)
    throw malformedKey("it is damaged");
  const der = Buffer.concat([PKCS8_START, seed]);
  const key = signingKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
  const own = rawPublicKey(key.publicKey);
  // With a wrong public half, two signatures would reveal the private one.
  if (!own.equals(outer) || !own.equals(inner)) throw malformedKey("its halves do not belong together");
  return key;
}

function readOpensshPublicKey(line: string): KeyObject {
  const [, type = "", body = ""] = /^(\S+)\s+(\S+)/.exec(line) ?? [];
  if (type !== "ssh-ed25519") throw malformedKey(`its type is ${JSON.stringify(type.slice(0, 40))}`);
  const bytes = decodeBase64(body);
  if (bytes === undefined || !startsWith(bytes, WIRE_START)) throw malformedKey("it cannot be decoded");
  return publicKeyOfRaw(bytes.subarray(WIRE_START.length), "it has the wrong length");
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/** The key's text is never part of the message. */
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
 * Whether anyone can sign for a public key, or whether only lenient readers accept its encoding.
 *
 * For points of small order, signatures verify that were never made. There are eight such points, with five values of
 * y; values from the prime on are second encodings. The highest bit is the sign of x and irrelevant here.
 */
function isWeakKey(raw: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(raw).reverse().toString("hex")}`) & HIGHEST;
  return y >= PRIME || SMALL_ORDER.has(y);
}

/** Decodes canonical base64 only: Node's own decoder skips characters that it does not understand. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

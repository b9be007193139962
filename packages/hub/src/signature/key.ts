import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { malformedKey } from "./key-faults.ts";
import { isWeakKey } from "./weak-key.ts";

/** What signatures of one publisher are checked with. */
export interface VerifyingKey {
  /** SHA-256 of the public key in its SPKI form, as `openssl pkey -pubin -outform DER | sha256sum` prints it. */
  readonly id: Digest;
  readonly publicKey: KeyObject;
}

/** A key pair; the private half never leaves the process but by `formatPrivateKey`. */
export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

/**
 * Makes a new Ed25519 key.
 *
 * @example
 * const key = createKey();
 * await writeAtomic("publish.key", formatPrivateKey(key), { mode: 0o600 });
 * console.log(formatPublicKey(key));
 */
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

/** A key pair of its private half. */
export function signingKey(privateKey: KeyObject): SigningKey {
  return { ...verifyingKey(createPublicKey(privateKey)), privateKey };
}

/** A public key and its id, in whatever form it came; keys that prove nothing are refused. */
export function verifyingKey(publicKey: KeyObject): VerifyingKey {
  if (isWeakKey(rawPublicKey(publicKey)))
    throw malformedKey("it is a point for which anybody can sign anything");
  return { id: digestBytes(publicKey.export({ type: "spki", format: "der" })), publicKey };
}

// RFC 8410: fixed beginnings, then the 32 bytes themselves.
const SPKI_START = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8_START = Buffer.from("302e020100300506032b657004220420", "hex");

/** The public key of 32 raw bytes. */
export function publicKeyOfRaw(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_START, bytes]), format: "der", type: "spki" });
}

/** The private key of its 32-byte seed. */
export function privateKeyOfSeed(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_START, seed]), format: "der", type: "pkcs8" });
}

function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: "spki", format: "der" }).subarray(SPKI_START.length);
}

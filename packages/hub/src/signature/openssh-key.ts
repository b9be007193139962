import type { KeyObject } from "node:crypto";
import { decodeBase64 } from "./decode-base64.ts";
import { privateKeyOfSeed, publicKeyOfRaw, signingKey, verifyingKey } from "./key.ts";
import { encryptedKey, malformedKey } from "./key-faults.ts";

const MAGIC = Buffer.from("openssh-key-v1\0");
const TYPE = "ssh-ed25519";

/** Reads an unencrypted `OPENSSH PRIVATE KEY` (PROTOCOL.key of OpenSSH). */
export function readOpensshPrivateKey(text: string): KeyObject {
  const [, body] =
    /^-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*)-----END OPENSSH PRIVATE KEY-----$/.exec(text) ?? [];
  const bytes = decodeBase64((body ?? "").replace(/\s/g, ""));
  if (!bytes?.subarray(0, MAGIC.length).equals(MAGIC)) throw malformedKey("it cannot be decoded");
  const outer = new WireReader(bytes.subarray(MAGIC.length));
  const cipher = outer.text();
  outer.string();
  outer.string();
  if (cipher !== "none") throw encryptedKey();
  if (outer.number() !== 1) throw malformedKey("the file holds several keys");
  const publicWire = outer.string();
  const inner = new WireReader(outer.string());
  // Two equal numbers show that decryption went well; without a cipher they show that nothing was changed by accident.
  const [check, again] = [inner.number(), inner.number()];
  if (check !== again) throw malformedKey("its check numbers differ");
  const type = inner.text();
  if (type !== TYPE) throw malformedKey(`its type is ${printable(type)}`);
  const publicBytes = inner.string();
  const both = inner.string();
  if (publicBytes.length !== 32 || both.length !== 64) throw malformedKey("its parts have the wrong length");
  const key = signingKey(privateKeyOfSeed(both.subarray(0, 32)));
  const stated = verifyingKey(publicKeyOfRaw(publicBytes));
  // A wrong public half would let two signatures give the private one away.
  if (key.id !== stated.id || key.id !== verifyingKey(publicKeyOfWire(publicWire)).id)
    throw malformedKey("its halves do not belong together");
  return key.privateKey;
}

/** Reads a line such as `ssh-ed25519 AAAA… comment`. */
export function readOpensshPublicKey(line: string): KeyObject {
  const [type = "", body = ""] = line.split(/\s+/, 2);
  if (type !== TYPE) throw malformedKey(`its type is ${printable(type)}`);
  const bytes = decodeBase64(body);
  if (bytes === undefined) throw malformedKey("it cannot be decoded");
  return publicKeyOfWire(bytes);
}

function publicKeyOfWire(bytes: Uint8Array): KeyObject {
  const wire = new WireReader(bytes);
  const type = wire.text();
  if (type !== TYPE) throw malformedKey(`its type is ${printable(type)}`);
  const raw = wire.string();
  if (raw.length !== 32) throw malformedKey("it has the wrong length");
  return publicKeyOfRaw(raw);
}

/** Numbers and strings as SSH writes them: 32 bits, big end first. */
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

  text(): string {
    return this.string().toString("latin1");
  }
}

function printable(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

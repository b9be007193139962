import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { stat } from "node:fs/promises";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { decodeBase64 } from "./decode-base64.ts";
import { publicKeyOfRaw, type SigningKey, signingKey, type VerifyingKey, verifyingKey } from "./key.ts";
import { encryptedKey, malformedKey } from "./key-faults.ts";
import { readOpensshPrivateKey, readOpensshPublicKey } from "./openssh-key.ts";

const MAX_KEY_BYTES = 16_384;

/**
 * Reads an Ed25519 key from its text; one with a private half can sign.
 *
 * Understands PEM (PKCS #8 and SPKI), unencrypted OpenSSH private keys, `ssh-ed25519 …` lines and `ed25519:…`.
 */
export function readKey(text: string): SigningKey | VerifyingKey {
  const trimmed = text.trim();
  if (trimmed.length > MAX_KEY_BYTES) throw malformedKey("it is too long");
  if (trimmed.startsWith("ed25519:")) return verifyingKey(readPlainKey(trimmed.slice("ed25519:".length)));
  if (trimmed.startsWith("-----BEGIN OPENSSH PRIVATE KEY-----"))
    return signingKey(readOpensshPrivateKey(trimmed));
  if (
    trimmed.startsWith("-----BEGIN ENCRYPTED PRIVATE KEY-----") ||
    trimmed.includes("Proc-Type: 4,ENCRYPTED")
  )
    throw encryptedKey();
  if (trimmed.startsWith("-----BEGIN PRIVATE KEY-----"))
    return signingKey(ed25519(parsed(() => createPrivateKey(trimmed))));
  if (trimmed.startsWith("-----BEGIN PUBLIC KEY-----"))
    return verifyingKey(ed25519(parsed(() => createPublicKey(trimmed))));
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

function readPlainKey(base64: string): KeyObject {
  const bytes = decodeBase64(base64);
  if (bytes?.length !== 32) throw malformedKey("`ed25519:` needs 32 bytes in base64");
  return publicKeyOfRaw(bytes);
}

function ed25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== "ed25519") throw malformedKey(`its type is ${key.asymmetricKeyType}`);
  return key;
}

function parsed(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    // OpenSSL has a code for every way to be malformed; all mean the same here.
    throw malformedKey("it cannot be decoded", error);
  }
}

import { SkilletError } from "@skillet/kit/errors";

/** That a key's text cannot be used; the text itself is never part of the message. */
export function malformedKey(what: string, cause?: unknown): SkilletError {
  const message = `This is not an Ed25519 key: ${what}; give a PEM or OpenSSH key of that type, or \`ed25519:\` and base64.`;
  return new SkilletError("signing-key-malformed", message, { cause });
}

/** That a key is protected by a passphrase, which nobody is asked for here. */
export function encryptedKey(): SkilletError {
  const message =
    "The key is encrypted, and encrypted keys are not read; use one for publishing alone without a passphrase, kept where secrets are.";
  return new SkilletError("signing-key-encrypted", message);
}

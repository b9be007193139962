import type { Digest } from "@skillet/kit/digest";
import { type Envelope, signEnvelope } from "./envelope.ts";
import type { SigningKey } from "./key.ts";

/** What an envelope about a skill says it holds. */
export const STATEMENT_TYPE = "application/vnd.skillet.statement+json";

/** What a publisher says about one tree. */
export interface Statement {
  readonly name: string;
  /** Of all files, as `digestTree` counts them; whatever archive they travel in. */
  readonly treeDigest: Digest;
  readonly version?: string;
  /** Where it was made from, such as a repository and a commit. */
  readonly source?: string;
}

/**
 * Signs what a publisher says about a tree; the signature goes beside the artefact, never into the tree.
 *
 * @example
 * const envelope = signTree({ key, statement: { name: "pdf-tools", treeDigest: candidate.digest } });
 */
export function signTree(options: { readonly key: SigningKey; readonly statement: Statement }): Envelope {
  const { name, treeDigest, version, source } = options.statement;
  const payload = Buffer.from(JSON.stringify({ name, treeDigest, version, source }));
  return signEnvelope({ payloadType: STATEMENT_TYPE, payload, key: options.key });
}

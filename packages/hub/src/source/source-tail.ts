import { checkRef } from "./check-ref.ts";
import { refuseSource } from "./refuse-source.ts";

const MAX_PICK_CHARACTERS = 128;

/** What may stand behind a source: `#ref`, `@pick`, `#ref@pick`. */
export interface SourceTail {
  readonly ref?: string;
  readonly pick?: string;
}

/**
 * Splits what stands behind `#`: a ref, then `@` and a pick.
 *
 * A ref with an `@` of its own, such as `tool@1.0`, is written with `%40`.
 */
export function parseTail(text: string, fragment: string): SourceTail {
  const at = fragment.indexOf("@");
  const written = at === -1 ? fragment : fragment.slice(0, at);
  const pick = at === -1 ? undefined : fragment.slice(at + 1);
  if (pick !== undefined && !isPick(pick)) {
    refuseSource(
      text,
      `names ${JSON.stringify(pick.slice(0, 80))} behind @, which is no name of a skill`,
      "Write SOURCE#REF@SKILL; an @ that is part of a branch or tag is written %40.",
    );
  }
  if (written === "" && pick === undefined)
    refuseSource(text, "ends with #", "Name a branch, tag or commit behind it.");
  const ref = decodeText(text, written);
  const problem = ref === "" ? undefined : checkRef(ref);
  if (problem !== undefined) {
    refuseSource(
      text,
      `names the ref ${JSON.stringify(ref.slice(0, 80))}, which ${problem}`,
      "Name a branch, tag or commit.",
    );
  }
  return { ...(ref !== "" && { ref: lowerCommit(ref) }), ...(pick !== undefined && { pick }) };
}

/** Like `parseTail`, for sources that have no refs. */
export function parsePickTail(text: string, fragment: string | undefined): { readonly pick?: string } {
  if (fragment === undefined) return {};
  const { ref, pick } = parseTail(text, fragment);
  if (ref !== undefined || pick === undefined)
    refuseSource(text, "has a ref behind #, which only repositories have", "Write #@SKILL to pick a skill.");
  return { pick };
}

/** Writes a tail as `parseTail` reads it. */
export function showTail({ ref, pick }: SourceTail): string {
  if (ref === undefined) return pick === undefined ? "" : `#@${pick}`;
  return `#${encodeText(ref)}${pick === undefined ? "" : `@${pick}`}`;
}

/** Whether a text can be the name of a skill or plugin, or `plugin:skill`, as one is picked. */
export function isPick(text: string): boolean {
  return (
    text.length <= MAX_PICK_CHARACTERS &&
    /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._:-]*$/u.test(text) &&
    !isArchiveName(text)
  );
}

/** Whether a name says that it is an archive. */
export function isArchiveName(name: string): boolean {
  return /\.(?:skill|zip|tar\.gz|tgz)$/i.test(name);
}

/** Undoes percent encoding. */
export function decodeText(text: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return refuseSource(text, "has a % that begins no percent encoding", "Write %25 for a percent sign.");
  }
}

/** Encodes what would be read as the beginning of a tail, and spaces, which none ends with. */
export function encodeText(part: string): string {
  return part.replace(/[%#@?\s]/g, (character) => encodeURIComponent(character));
}

function lowerCommit(ref: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref) ? ref.toLowerCase() : ref;
}

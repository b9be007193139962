import { SkilletError } from "@skillet/kit/errors";
import { foldSource } from "./fold-source.ts";

/**
 * What a rule's sources are matched by, in the folded spelling.
 *
 * A rule is about a place: which ref, version, skill or query somebody asks for there is his choice, so none of these
 * narrows it. What no source can be is an error: a rule that never holds looks like one that does.
 */
export function rulePattern(written: string): string {
  const folded = foldSource(written);
  const problem = problemOf(written.trim(), folded);
  if (problem === undefined) return withoutVersion(folded);
  throw new SkilletError(
    "signature-rule-malformed",
    `The rule ${JSON.stringify(written.slice(0, 200))} in hub.signatures holds for no source: ${problem}. Write OWNER/REPOSITORY, a URL, npm:NAME, oci://HOST/REPOSITORY or a whole path, with * for any part.`,
    { data: { rule: written } },
  );
}

const SCHEMES: ReadonlySet<string> = new Set(["https", "http", "ssh", "git", "file", "oci"]);

function problemOf(written: string, folded: string): string | undefined {
  if (folded === "") return "it is empty";
  if (folded.startsWith("*")) return undefined;
  if (/^(?:\.{1,2}(?:\/|$)|~)/.test(written)) return "its path depends on where one stands";
  if (folded.startsWith("file:")) return undefined;
  if (/[\s,\\\p{Cc}]/u.test(written)) return "it has a space, a comma or a backslash";
  const scheme = /^(?:git\+|git:(?!\/\/)|well-known:)*([a-z][a-z0-9+.-]*):\/\//i
    .exec(written)?.[1]
    ?.toLowerCase();
  if (scheme !== undefined && !SCHEMES.has(scheme)) return `nothing is fetched by ${scheme}:`;
  if (folded.startsWith("npm:"))
    return /^npm:[@a-z0-9~*][a-z0-9._~@/*#-]*$/.test(folded) ? undefined : "no package is called that";
  const host = folded.slice(folded.indexOf(":") + 1).split(/[/#?]/, 1)[0] ?? "";
  return /^[a-z0-9.*_-]+(?::[0-9*]+)?$|^\[[0-9a-f:.]+\](?::[0-9*]+)?$/.test(host)
    ? undefined
    : "no host is called that";
}

function withoutVersion(folded: string): string {
  const place = folded.replace(/[#?].*$/s, "").replace(/(?<=[^:/])@[^/]*$/, "");
  const bare = place.startsWith("oci:") ? place.replace(/^(oci:[^/]*\/[^:]*):.*$/s, "$1") : place;
  // All folders of this machine.
  return bare === "file:" ? "file:*" : bare.replace(/(?<=[^/:])\/$/, "");
}

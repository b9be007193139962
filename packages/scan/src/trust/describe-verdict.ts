import type { KnownFinding, KnownVerdict } from "@skillet/core/internal";

const MAX_NAMED = 2;
// The clause can reach a model, and the names of files are the skill's own words.
const PLAIN_PATH = /^[\w./!-]{1,80}$/;

/** A clause about what a scan found: `the scan calls it dangerous: EX1 at scripts/run.sh:3`. */
export function describeVerdict({
  verdict,
  findings,
  counts,
}: Pick<KnownVerdict, "verdict" | "findings" | "counts">): string {
  const total = counts.critical + counts.warn;
  const named = findings.slice(0, MAX_NAMED).map(placeOf);
  const more = total > named.length ? ` and ${total - named.length} more` : "";
  const word = verdict === "caution" ? "the scan asks for caution" : `the scan calls it ${verdict}`;
  return `${word}${named.length === 0 ? "" : `: ${named.join(", ")}${more}`}`;
}

function placeOf({ rule, file, line }: KnownFinding): string {
  return PLAIN_PATH.test(file) ? `${rule} at ${file}:${line}` : rule;
}

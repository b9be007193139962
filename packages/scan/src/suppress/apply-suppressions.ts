import { digestBytes } from "@skillet/kit/digest";
import type { SkillFile } from "../file/skill-file.ts";
import type { Finding, SuppressedFinding, Suppression } from "../finding/finding.ts";

export interface SuppressionResult {
  readonly counted: readonly Finding[];
  readonly suppressed: readonly SuppressedFinding[];
}

/** Takes out findings that were dismissed for exactly these bytes. What was not analysed cannot be dismissed as read. */
export function applySuppressions(
  findings: readonly Finding[],
  suppressions: readonly Suppression[],
  files: readonly SkillFile[],
): SuppressionResult {
  if (suppressions.length === 0) return { counted: findings, suppressed: [] };
  const byPath = new Map(files.map((file) => [file.path, file]));
  const digests = new Map<string, string>();
  const holds = ({ file, digest }: Suppression): boolean => {
    const [own, outer] = [byPath.get(file), byPath.get(outerFile(file))];
    // A file that is called like a member of an archive beside it: no one knows which of the two was meant.
    if (own !== undefined && outer !== undefined && own !== outer) return false;
    const found = own ?? outer;
    if (found === undefined || found.unread !== undefined) return false;
    const known = digests.get(found.path) ?? digestBytes(found.bytes);
    digests.set(found.path, known);
    return known === digest;
  };
  const alive = new Map<string, Suppression[]>();
  for (const suppression of suppressions) {
    if (!holds(suppression)) continue;
    const key = keyOf(suppression);
    alive.set(key, [...(alive.get(key) ?? []), suppression]);
  }
  const counted: Finding[] = [];
  const suppressed: SuppressedFinding[] = [];
  for (const finding of findings) {
    const match = (alive.get(keyOf(finding)) ?? []).find(
      ({ fingerprint }) => fingerprint === undefined || fingerprint === finding.fingerprint,
    );
    if (match === undefined) counted.push(finding);
    else suppressed.push({ finding, reason: match.reason, by: match });
  }
  return { counted, suppressed };
}

function keyOf({ rule, file }: { readonly rule: string; readonly file: string }): string {
  return `${rule}\0${file}`;
}

// A member of an archive has no bytes of its own on disk: the archive's decide.
function outerFile(file: string): string {
  const inner = file.indexOf("!/");
  return inner === -1 ? file : file.slice(0, inner);
}

import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { digest, object, optional, refine } from "@skillet/kit/schema";
import type { SkillFile } from "../file/file-kind.ts";
import type { Finding, SuppressedFinding, Suppression } from "../finding/finding.ts";
import { readUserList, trimmedText } from "../pack/read-user-list.ts";
import type { ScanReport } from "../scan-report.ts";
import { addTo } from "../word-list.ts";

/**
 * Reads a user's file of suppressions: YAML with a list `suppressions`, each with rule, file, digest and
 * reason. An unreadable one suppresses nothing.
 */
export function readSuppressions(
  text: string,
  options: { readonly file: string },
): { readonly suppressions: readonly Suppression[]; readonly diagnostics: readonly Diagnostic[] } {
  const { items, diagnostics } = readUserList(text, options.file, {
    key: "suppressions",
    itemHint: "each entry with rule, file, digest and reason",
    codes: {
      tooLarge: "suppressions-too-large",
      invalid: "suppressions-invalid",
      field: "suppression-field",
      unknownKey: "suppression-unknown-key",
    },
    mayBeEmpty: true,
    item: (locate) =>
      refine(entry, (value, reading) => ({ ...value, line: locate(reading.path)?.line ?? 1 })),
  });
  return { suppressions: items, diagnostics };
}

const entry = object<Omit<Suppression, "line">>(
  { rule: trimmedText, file: trimmedText, digest, reason: trimmedText, fingerprint: optional(trimmedText) },
  { unknown: "report" },
);

export interface SuppressionResult {
  readonly counted: readonly Finding[];
  readonly suppressed: readonly SuppressedFinding[];
}

/** Removes findings that were dismissed for exactly these bytes. An unread file's findings cannot be dismissed. */
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
    // A file has the same name as a member of an archive beside it: it is not known which of the two was meant.
    if (own !== undefined && outer !== undefined && own !== outer) return false;
    const found = own ?? outer;
    if (found === undefined || found.unread !== undefined) return false;
    const known = digests.get(found.path) ?? digestBytes(found.bytes);
    digests.set(found.path, known);
    return known === digest;
  };
  const alive = new Map<string, Suppression[]>();
  for (const suppression of suppressions) {
    if (holds(suppression)) addTo(alive, keyOf(suppression), suppression);
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

function keyOf({ rule, file }: Pick<Finding, "rule" | "file">): string {
  return `${rule}\0${file}`;
}

// A member of an archive has no bytes of its own on disk, so the archive's digest counts.
function outerFile(file: string): string {
  const inner = file.indexOf("!/");
  return inner === -1 ? file : file.slice(0, inner);
}

/** Tracks over many skills which suppressions had an effect; unused ones are always reported. */
export class SuppressionUse {
  readonly #file: string;
  readonly #unused: Set<Suppression>;
  /** Findings that count although a suppression names their rule and file. */
  readonly #still = new Set<string>();

  constructor(suppressions: readonly Suppression[], options: { readonly file: string }) {
    this.#file = options.file;
    this.#unused = new Set(suppressions);
  }

  add({ findings, suppressed }: Pick<ScanReport, "findings" | "suppressed">): void {
    if (this.#unused.size === 0) return;
    for (const { by } of suppressed) if (by !== undefined) this.#unused.delete(by);
    const named = new Set(Array.from(this.#unused, keyOf));
    for (const finding of findings) if (named.has(keyOf(finding))) this.#still.add(keyOf(finding));
  }

  /** The suppressions that dismissed nothing in any of the added skills. */
  diagnostics(): readonly Diagnostic[] {
    return Array.from(this.#unused, (suppression) => this.#tell(suppression));
  }

  #tell(suppression: Suppression): Diagnostic {
    const { rule, file, digest, line } = suppression;
    const of = `the dismissal of ${rule} in ${file} (${digest.slice(0, SHOWN_DIGEST)}…)`;
    const told = this.#still.has(keyOf(suppression))
      ? ({
          severity: "warning",
          message: `${of} does not hold for what was scanned: ${rule} counts in a ${file} of other bytes`,
          hint: "if the file changed, look at the change, then renew the digest or remove the entry",
        } as const)
      : ({
          severity: "info",
          message: `${of} matched nothing that was scanned`,
          hint: "keep it if it is for a skill that was not scanned now; remove it otherwise",
        } as const);
    const range = line === undefined ? {} : { range: { line, column: 1 } };
    return { code: "suppression-unused", ...told, file: this.#file, ...range };
  }
}

const SHOWN_DIGEST = "sha256:".length + 8;

import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Finding, Suppression } from "../finding/finding.ts";
import type { ScanReport } from "../scan-report.ts";

/** Follows over many skills which dismissals did something: one that did nothing is told, never left in silence. */
export class SuppressionUse {
  readonly #file: string;
  readonly #unused: Set<Suppression>;
  /** Of findings that count, though a dismissal names their rule and file. */
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

  /** Those that dismissed nothing in all that was added. */
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

function keyOf({ rule, file }: Pick<Finding, "rule" | "file">): string {
  return `${rule}\0${file}`;
}

import type { Diagnostic } from "@skillet/kit/diagnostics";
import { compareByteOrder } from "@skillet/kit/order";

// A hostile tree can hold a million broken links; people read the first ones, and the count of the rest.
const MAX_PER_CODE = 100;

export class TraversalReport {
  readonly #byCode = new Map<string, { kept: Diagnostic[]; more: number }>();

  add(diagnostic: Diagnostic): void {
    const bucket = this.#byCode.get(diagnostic.code) ?? { kept: [], more: 0 };
    if (bucket.kept.length < MAX_PER_CODE) bucket.kept.push(diagnostic);
    else bucket.more++;
    this.#byCode.set(diagnostic.code, bucket);
  }

  diagnostics(root: string): Diagnostic[] {
    const all: Diagnostic[] = [];
    for (const [code, { kept, more }] of this.#byCode) {
      all.push(...kept);
      const severity = kept[0]?.severity ?? "warning";
      if (more > 0)
        all.push({
          code,
          severity,
          message: `${more} more of the same kind under this root.`,
          file: root,
          hint: "Fix the ones above first; the rest are shown then.",
        });
    }
    return all.sort(
      (left, right) => compareByteOrder(left.file, right.file) || compareByteOrder(left.code, right.code),
    );
  }
}

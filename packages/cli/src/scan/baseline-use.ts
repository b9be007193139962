import type { Diagnostic } from "@skillet/kit/diagnostics";
import { count } from "../ui/skill-state.ts";
import { loadScanning } from "./load-scanning.ts";
import type { OpenBaseline } from "./open-baseline.ts";
import type { ScannedTarget } from "./scan-targets.ts";

/** Follows what a baseline was good for, so that one that knows nothing of what is scanned is not taken for a clean one. */
export class BaselineUse {
  readonly #open: OpenBaseline;
  #met = 0;
  #counting = 0;
  #gone = 0;

  constructor(open: OpenBaseline) {
    this.#open = open;
  }

  add({ path, allFindings }: Pick<ScannedTarget, "path" | "allFindings">): void {
    const { baseline, keyOf } = this.#open;
    const skill = keyOf(path);
    this.#counting += allFindings.filter(({ severity }) => severity !== "info").length;
    if (!Object.hasOwn(baseline.skills, skill)) return;
    this.#met += 1;
    this.#gone += loadScanning().countGone({ skill, findings: allFindings }, baseline);
  }

  diagnostics(): readonly Diagnostic[] {
    const { file, baseline } = this.#open;
    const known = Object.keys(baseline.skills).length;
    // A skill in which nothing is found is in no baseline.
    if (known > 0 && this.#met === 0 && this.#counting > 0)
      return [
        {
          code: "baseline-unused",
          severity: "warning",
          message: `none of what was scanned is among the ${count(known, "skill")} that the baseline knows`,
          file,
          hint: "its paths are relative to its own folder; if it was moved, write a new one with --write-baseline",
        },
      ];
    if (this.#gone === 0) return [];
    return [
      {
        code: "baseline-unused",
        severity: "info",
        message: `${count(this.#gone, "finding")} of the baseline ${this.#gone === 1 ? "is" : "are"} no longer there`,
        file,
        hint: "write it anew with --write-baseline, so that they count if they come back",
      },
    ];
  }
}

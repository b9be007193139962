import type { Drift } from "@skillet/hub";
import { stripControl } from "../ui/strip-control.ts";

const MAX_NAMED = 5;

/** The files that differ, for a sentence. */
export function driftWords(drift: readonly Drift[]): string {
  const words = drift.map(({ target, file, kind }) => `${file === "" ? target : file} (${kind})`);
  const rest = words.length - MAX_NAMED;
  return stripControl(`${words.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`);
}

/** Whether a difference is somebody's work: a target that is gone altogether, and what systems leave, is not. */
export function isEdit({ file, kind, expendable }: Drift): boolean {
  return expendable !== true && !(file === "" && kind === "missing");
}

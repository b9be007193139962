import type { Diagnostic } from "@skillet/core";
import type { Suppression } from "./suppression.ts";

/** Tells which suppressions hold for nothing any more; of several skills, pass those that are dead in all of them. */
export function reportDeadSuppressions(
  dead: readonly Suppression[],
  options: { readonly file: string },
): readonly Diagnostic[] {
  return dead.map(({ rule, file }) => ({
    code: "suppression-dead",
    severity: "warning",
    message: `${file} changed or is gone, so ${rule} is no longer dismissed there`,
    file: options.file,
    hint: "look at the change, then renew the digest or remove the entry",
  }));
}

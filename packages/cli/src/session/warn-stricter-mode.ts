import type { PolicyMode, Session } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";

/** Says so when the config is stricter than the mode that was asked for, which then does not hold. */
export function warnStricterMode(
  { terminal }: CommandContext,
  { asked, session }: { readonly asked: PolicyMode | undefined; readonly session: Session },
): void {
  if (asked === undefined || asked === session.mode) return;
  terminal.warn(`The config sets ${session.mode} mode, which is stricter than ${asked}; it holds.`);
}

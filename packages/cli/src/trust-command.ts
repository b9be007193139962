import { shellQuote } from "./ui/shell-quote.ts";
import { showControl } from "./ui/strip-control.ts";

/**
 * The command that trusts a project, to be copied.
 *
 * A path that cannot be shown as it is would name another folder; inside the project the command needs none.
 */
export function trustCommand(root: string, ...flags: readonly string[]): string {
  const folder = showControl(root) === root ? [shellQuote(root)] : [];
  return ["skillet", "trust", ...folder, ...flags].join(" ");
}

import { dirname, join } from "node:path";

/** One name in one folder that a commit swaps. */
export interface Step {
  /** The real path of the target. */
  readonly place: string;
  readonly action: "put" | "remove";
  /** Whether something of ours lay there before. */
  readonly had: boolean;
  /** Of a put that is staged: the files of which entry, or the text of a link; what undoing may take away again. */
  readonly puts?: { readonly files: string } | { readonly link: string };
}

/** Where a step's new content waits; beside its place, so that one rename puts it there. */
export function stagePath(step: Step, index: number, transaction: string): string {
  return join(dirname(step.place), `.skillet-${transaction}-${index}.new`);
}

/** Where a step's old content waits until the commit is done. */
export function backupPath(step: Step, index: number, transaction: string): string {
  return join(dirname(step.place), `.skillet-${transaction}-${index}.old`);
}

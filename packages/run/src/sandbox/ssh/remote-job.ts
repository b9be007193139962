import type { GuardedPaths, LentWorkspace } from "./remote-sandbox-options.ts";
import type { RemoteTree } from "./remote-tree.ts";
import type { SshOptions } from "./ssh-options.ts";

/** One command on the remote machine, beside a tree that is staged there first. */
export interface RemoteJob {
  readonly options: SshOptions;
  /** Of the local ssh. */
  readonly environment: Readonly<Record<string, string>>;
  readonly tree: RemoteTree;
  /** The filter of system calls, for descriptor 3; empty where there is none. */
  readonly filter: Uint8Array;
  /** Given to bubblewrap on descriptor 5, because it holds secrets. */
  readonly sandboxOptions: readonly string[];
  readonly guarded: GuardedPaths;
  readonly workspace: LentWorkspace | undefined;
  /** The user that root becomes for the script, and the program that does it. */
  readonly drop: { readonly uid: number; readonly setpriv: string } | undefined;
  /** The remote folder of staged skills. */
  readonly directory: string;
  /** Where there is no sandbox to set them: the variables of the command, and the folder it starts in. */
  readonly bare?: { readonly variables: Readonly<Record<string, string>>; readonly cwd: string | undefined };
  /** What sets limits and sandbox up, and becomes the command that follows it. */
  readonly launcher: readonly string[];
  readonly argv: readonly string[];
  readonly stdin: Uint8Array;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

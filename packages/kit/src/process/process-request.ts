import type { Duplex } from "node:stream";
import type { LimitMark } from "./process-tree.ts";

/** A process to start; nothing is inherited, and no shell reads anything. */
export interface ProcessRequest {
  readonly argv: readonly [program: string, ...args: readonly string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly deadlineMs: number;
  /** Default: empty, with an immediate end. */
  readonly stdin?: Uint8Array;
  /** How many bytes of each output stream are kept: half from its head, half from its tail. Default 1 MiB. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
  /** Called with output as it arrives, even beyond `maxOutputBytes`, up to `maxSeenBytes`. */
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /** The process is ended if a stream writes more than this; default 64 MiB. */
  readonly maxSeenBytes?: number;
  /** Runs the process as another user; only root can. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Who may open the standard streams by name, if the program itself changes its user; default: `user`. */
  readonly streamsOwner?: { readonly uid: number; readonly gid: number };
  /** A limit that `argv` sets for the program, by which its descendants are found; see createLimitMark. */
  readonly limitMark?: LimitMark | undefined;
  /** Further descriptors, from 3 on, without a gap. */
  readonly descriptors?: readonly ProcessDescriptor[];
}

export type ProcessDescriptor =
  /** The process reads these bytes and then the end. */
  | { readonly kind: "feed"; readonly bytes: Uint8Array }
  /** Its output is kept, up to 64 KiB. */
  | { readonly kind: "collect" }
  /** Both ways, while the process runs. */
  | { readonly kind: "channel"; readonly connect: (channel: Duplex) => void };

/** How a process ended; by then nothing of its tree is left. */
export interface ProcessResult {
  readonly ending: "exit" | "deadline" | "cancelled" | "output-limit";
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly collected: ReadonlyMap<number, Uint8Array>;
  readonly durationMs: number;
}

export interface CapturedOutput {
  readonly head: Uint8Array;
  /** Empty unless bytes in between were left out. */
  readonly tail: Uint8Array;
  readonly omittedBytes: number;
}

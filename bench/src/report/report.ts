import type { Trait } from "../library/skill-mix.ts";
import type { MemoryReport } from "../measure/measure-memory.ts";
import type { PeerReport } from "../peers/measure-peer.ts";

/** One row of times; the ratio is to the first row of its table. */
export interface Row {
  readonly name: string;
  readonly label: string;
  readonly found?: number;
  readonly medianMs: number;
  readonly ratio: number;
  /** The ratio that the product promises not to exceed. */
  readonly limit?: number;
}

/** A peer with its ratio to the loop that reads the same files. */
export type PeerRow = PeerReport & { readonly ratio?: number };

/** Everything one run of the bench found out; printed as it is by `--json`. */
export interface Report {
  readonly schemaVersion: 1;
  readonly machine: { readonly node: string; readonly platform: string; readonly cpus: number };
  readonly library: {
    readonly skills: number;
    readonly seed: number;
    readonly bytes: number;
    readonly mix: Readonly<Partial<Record<Trait, number>>>;
    readonly path?: string;
  };
  readonly runs: number;
  readonly discovery: readonly Row[];
  readonly peers: readonly PeerRow[];
  readonly memory: (MemoryReport & { readonly limitBytes: number }) | { readonly failure: string };
  readonly startup: readonly Row[] | { readonly failure: string };
  /** What discovery got wrong; anything here makes the bench fail. */
  readonly problems: readonly string[];
}

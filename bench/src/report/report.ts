import type { Trait } from "../library/skill-mix.ts";
import type { Cost } from "../measure/cost.ts";

/** One row of a table; the ratio is of processor time, to the first row. */
export type Row = { readonly name: string; readonly label: string } & (
  | (Cost & {
      readonly found?: number;
      readonly ratio: number;
      /** The ratio that the product promises not to exceed. */
      readonly limit?: number;
      /** The same of the build that this one is compared with. */
      readonly against?: Cost;
    })
  | { readonly failure: string }
);

/** Everything one run of the bench found out; printed as it is by `--json`. */
export interface Report {
  readonly schemaVersion: 2;
  readonly machine: { readonly node: string; readonly platform: string; readonly cpus: number };
  readonly library: {
    readonly skills: number;
    readonly seed: number;
    readonly bytes: number;
    readonly mix: Readonly<Partial<Record<Trait, number>>>;
    readonly path?: string;
  };
  readonly runs: number;
  /** Skillet and the loops, then other clients. */
  readonly discovery: readonly Row[];
  /** How other clients were called. */
  readonly peers: readonly { readonly package: string; readonly how: string }[];
  /** Of a fresh process that discovers once cold and once warm. */
  readonly fresh: {
    readonly cold: Cost;
    readonly warm: Cost;
    readonly peakBytes: number;
    readonly limitBytes: number;
  };
  readonly startup: readonly Row[];
  /** What discovery got wrong; anything here makes the bench fail. */
  readonly problems: readonly string[];
}

import type { Cost } from "../measure/cost.ts";

/** A way to find all skills of a library, and how the bench calls it. */
export interface Loader {
  readonly name: string;
  /**
   * Whether it runs in the process that opened it. Such a process waits between its turns, and V8 drops optimised code
   * meanwhile; so each turn discovers twice, and the second time counts.
   */
  readonly runsTwice: boolean;
  /** Loads it, which does not count. */
  open(place: LoaderPlace): Promise<OpenLoader>;
}

/** Where a loader finds the library, and what else it gets. */
interface LoaderPlace {
  readonly root: string;
  /** An empty folder, for a cache or for whatever layout it needs. */
  readonly workDirectory: string;
  /** The checkout whose build of Skillet is measured. */
  readonly build: string;
}

/** A loader that is ready; each call discovers everything. */
export type OpenLoader = () => Promise<LoaderRun>;

/** What one discovery found and cost, start-up excluded. */
export interface LoaderRun extends Cost {
  readonly found: number;
}

/** Another client, as the table names it. */
export interface Peer extends Loader {
  readonly package: string;
  /** What is called, and what was arranged so that it can find everything. */
  readonly how: string;
}

/** Another loader of skills, and how the bench makes it discover a library. */
export interface Peer {
  readonly name: string;
  readonly package: string;
  /** What is called, and what was arranged so that it can find everything. */
  readonly how: string;
  /** Loads the peer, which is not timed. */
  open(library: PeerLibrary): Promise<OpenPeer>;
}

/** The library as peers get it. */
interface PeerLibrary {
  readonly root: string;
  /** A folder for whatever layout the peer needs. */
  readonly workDirectory: string;
}

/** A loaded peer; one run discovers everything once. */
interface OpenPeer {
  run(): Promise<PeerRun>;
}

/** What one run found and took, start-up excluded. */
export interface PeerRun {
  readonly found: number;
  readonly ms: number;
}

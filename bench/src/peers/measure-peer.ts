import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { median } from "../measure/median.ts";
import { runChild } from "../measure/run-child.ts";
import type { Peer, PeerRun } from "./peer.ts";
import { pinnedVersion } from "./peer-package.ts";

/** What a peer did, or why it did nothing. */
export interface PeerReport {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly how: string;
  readonly runs: number;
  readonly found?: number;
  readonly medianMs?: number;
  readonly failure?: string;
}

/** Peers are slow and vary little. */
const RUNS = 3;

/** For all runs of one peer together. */
const TIMEOUT_MS = 600_000;

/** Measures one peer in a process of its own, which may crash, hang or grow as it likes. */
export async function measurePeer(
  peer: Peer,
  options: { readonly root: string; readonly workDirectory: string },
): Promise<PeerReport> {
  const workDirectory = join(options.workDirectory, `peer-${peer.name}`);
  mkdirSync(workDirectory);
  const result = await runChild<PeerRun>(new URL("../peer-child.js", import.meta.url), {
    args: [peer.name, options.root, workDirectory, String(RUNS)],
    timeoutMs: TIMEOUT_MS,
    env: peerEnvironment(workDirectory),
  });
  const last = result.messages.at(-1);
  return {
    ...describePeer(peer),
    runs: result.messages.length,
    ...(last !== undefined && { found: last.found, medianMs: median(result.messages.map(({ ms }) => ms)) }),
    ...(result.failure !== undefined && { failure: result.failure }),
  };
}

/** The part of a report that is known without running anything. */
export function describePeer(peer: Peer): Pick<PeerReport, "name" | "package" | "version" | "how"> {
  return { name: peer.name, package: peer.package, version: pinnedVersion(peer.package), how: peer.how };
}

/** An empty home, so that nobody's own skills are counted, and no telemetry. */
function peerEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, CI: "1", DO_NOT_TRACK: "1", DISABLE_TELEMETRY: "1" };
}

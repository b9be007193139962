import { parseArgs } from "node:util";
import type { Peer } from "./loaders/loader.ts";
import { PEERS } from "./loaders/peers.ts";

/** What `bench:discover` was asked to do. */
export interface BenchOptions {
  readonly skills: number;
  readonly runs: number;
  readonly seed: number;
  readonly peers: readonly Peer[];
  /** Another checkout, whose build is measured in the same rounds. */
  readonly against?: string;
  readonly output: "table" | "json";
  readonly library: "remove" | "keep";
}

/** Said after a wrong option. */
export const USAGE: string = `Usage: npm run bench:discover -- [options]

  --skills N      how many skills to generate (default 10000)
  --runs N        rounds of the interleaved measurement (default 9)
  --seed N        another library of the same kind (default 1)
  --peers LIST    all, none, or names with commas: ${PEERS.map(({ name }) => name).join(", ")} (default all)
  --against DIR   another checkout, built, to measure in the same rounds
  --json          print one JSON document
  --keep          leave the generated library in place`;

/** Reads the command line; throws a TypeError that says what is wrong with it. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      skills: { type: "string", default: "10000" },
      runs: { type: "string", default: "9" },
      seed: { type: "string", default: "1" },
      peers: { type: "string", default: "all" },
      against: { type: "string" },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  return {
    skills: parseCount("--skills", values.skills),
    runs: parseCount("--runs", values.runs),
    seed: parseCount("--seed", values.seed),
    peers: choosePeers(values.peers),
    ...(values.against !== undefined && { against: values.against }),
    output: values.json ? "json" : "table",
    library: values.keep ? "keep" : "remove",
  };
}

/** A whole number above 0; throws a TypeError that names the option. */
export function parseCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) {
    throw new TypeError(`${option} takes a whole number from 1 to 9999999, not "${text}".`);
  }
  return Number(text);
}

function choosePeers(list: string): readonly Peer[] {
  if (list === "all") return PEERS;
  if (list === "none") return [];
  return list.split(",").map((name) => {
    const peer = PEERS.find((candidate) => candidate.name === name);
    if (peer === undefined) {
      throw new TypeError(
        `There is no peer "${name}"; choose from ${PEERS.map((known) => known.name).join(", ")}.`,
      );
    }
    return peer;
  });
}

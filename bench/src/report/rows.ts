import type { Peer } from "../loaders/loader.ts";
import { pinnedVersion } from "../loaders/peer-package.ts";
import type { Cost } from "../measure/cost.ts";
import type { DiscoveryCosts, DiscoveryName, Measured } from "../measure/measure-discovery.ts";
import type { StartupName } from "../measure/measure-startup.ts";
import { LIMITS } from "./limits.ts";
import type { Row } from "./report.ts";

type Labels<Name extends string> = Readonly<
  Record<Name, { readonly label: string; readonly limit?: number }>
>;

const DISCOVERY: Labels<DiscoveryName> = {
  loop: { label: "readFileSync loop" },
  "loop-utf8": { label: 'readFileSync loop, "utf8"' },
  cold: { label: "skillet cold, writing its cache", limit: LIMITS.cold },
  "cold-without-cache": { label: "skillet cold, without a cache" },
  warm: { label: "skillet warm", limit: LIMITS.warm },
  "warm-described": { label: "skillet warm, every description read" },
};

const STARTUP: Labels<StartupName> = {
  node: { label: "node -e 0" },
  version: { label: "skillet --version", limit: LIMITS.version },
  "show-first": { label: "skillet show, empty home" },
  "show-again": { label: "skillet show, second start", limit: LIMITS.show },
};

/** The rows of the discovery table. */
export function discoveryRows({ own, peers }: DiscoveryCosts): readonly Row[] {
  const [loop] = own.get("loop") ?? [];
  const baseline = loop !== undefined && "cpuMs" in loop ? loop.cpuMs : Number.NaN;
  return [
    ...[...own].map(([name, [measured, against]]) => ({
      ...row({ name, ...DISCOVERY[name] }, measured, baseline),
      ...(against !== undefined && "cpuMs" in against && { against }),
    })),
    ...[...peers].map(([peer, measured]) =>
      row({ name: peer.name, label: labelOf(peer) }, measured, baseline),
    ),
  ];
}

/** The rows of the start-up table. */
export function startupRows([costs, against]: readonly ReadonlyMap<StartupName, Cost>[]): readonly Row[] {
  if (costs === undefined) return [];
  const baseline = costs.get("node")?.cpuMs ?? Number.NaN;
  return [...costs].map(([name, cost]) => {
    const other = name === "node" ? undefined : against?.get(name);
    return {
      ...row({ name, ...STARTUP[name] }, cost, baseline),
      ...(other !== undefined && { against: other }),
    };
  });
}

function row(
  head: { readonly name: string; readonly label: string; readonly limit?: number },
  measured: Measured | Cost | undefined,
  baseline: number,
): Row {
  if (measured === undefined) return { ...head, failure: "it was not measured" };
  return "failure" in measured
    ? { ...head, ...measured }
    : { ...head, ...measured, ratio: measured.cpuMs / baseline };
}

function labelOf(peer: Peer): string {
  return `${peer.package} ${pinnedVersion(peer.package)}`;
}

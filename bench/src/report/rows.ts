import type { DiscoveryName } from "../measure/measure-discovery.ts";
import type { StartupName } from "../measure/measure-startup.ts";
import { median } from "../measure/median.ts";
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
  "show-first": { label: "skillet show, empty home", limit: LIMITS.show },
  "show-again": { label: "skillet show, second start", limit: LIMITS.show },
};

/** The rows of the discovery table. */
export function discoveryRows(
  times: ReadonlyMap<DiscoveryName, readonly number[]>,
  found: number,
): readonly Row[] {
  return rows(DISCOVERY, times).map((row) => ({ ...row, found }));
}

/** The rows of the start-up table. */
export function startupRows(times: ReadonlyMap<StartupName, readonly number[]>): readonly Row[] {
  return rows(STARTUP, times);
}

function rows<Name extends string>(
  labels: Labels<Name>,
  times: ReadonlyMap<Name, readonly number[]>,
): readonly Row[] {
  const medians = [...times].map(([name, values]) => ({ name, medianMs: median(values) }));
  const baseline = medians[0]?.medianMs ?? Number.NaN;
  return medians.map(({ name, medianMs }) => ({
    name,
    ...labels[name],
    medianMs,
    ratio: medianMs / baseline,
  }));
}

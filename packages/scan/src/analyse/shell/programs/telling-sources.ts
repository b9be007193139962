import type { DataSource } from "../../../fact/data-source.ts";
import { sourcesOf, type Value } from "../value.ts";

/** What is worth telling when data leaves: not what somebody typed, nor what came from the network or was only decoded. */
export function tellingSources(values: readonly (Value | undefined)[]): readonly DataSource[] {
  const given = values.filter((value) => value !== undefined);
  return sourcesOf(given).filter(({ type }) => type !== "network" && type !== "decoded" && type !== "input");
}

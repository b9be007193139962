import type { OciSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedOci } from "../resolved.ts";
import { locateSkill } from "./locate-skill.ts";

/** Asks a registry which manifest a reference means now; nothing is unpacked. */
export async function resolveOci(source: OciSource, context: FetchContext): Promise<ResolvedOci> {
  return (await locateSkill(source, context)).resolved;
}

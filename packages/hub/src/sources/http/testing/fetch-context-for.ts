import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DEFAULT_HUB_LIMITS, type HubLimits } from "../../../hub-limits.ts";
import type { FetchContext } from "../../fetch-context.ts";

/** A context with an empty home that may contact the given hosts on this machine. */
export function fetchContextFor(
  hosts: readonly string[],
  { limits, ...more }: Partial<Omit<FetchContext, "limits">> & { readonly limits?: Partial<HubLimits> } = {},
): FetchContext {
  const home = mkdtempSync(join(tmpdir(), "skillet-fetch-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return {
    home,
    limits: { ...DEFAULT_HUB_LIMITS, ...limits },
    environment: {},
    allowedPrivateHosts: hosts,
    ...more,
  };
}

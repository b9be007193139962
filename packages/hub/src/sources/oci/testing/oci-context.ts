import { DEFAULT_HUB_LIMITS } from "../../../hub-limits.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import type { FetchContext } from "../../fetch-context.ts";

/** A context that may speak with certain hosts of this machine and has an empty home. */
export function ociContext(
  hosts: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): FetchContext {
  const home = temporaryDirectory();
  return {
    home,
    limits: DEFAULT_HUB_LIMITS,
    environment: { HOME: home, ...environment },
    allowedPrivateHosts: hosts,
  };
}

import { DEFAULT_HUB_LIMITS } from "../../../hub-limits.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import type { FetchContext } from "../../fetch-context.ts";

/** A context with an empty home that may contact the given hosts on this machine. */
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

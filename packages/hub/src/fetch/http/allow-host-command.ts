import type { FetchContext } from "../fetch-context.ts";

/**
 * The command that allows a host besides those that are allowed already, ready to be pasted into a shell.
 *
 * A value replaces the list, so the whole list is written. A host is whatever a URL can hold, which is also quotes,
 * semicolons and dollar signs: a redirect must not put a command into the one that is advised.
 */
export function allowHostCommand(
  host: string,
  { allowedPrivateHosts }: Pick<FetchContext, "allowedPrivateHosts">,
): string {
  const hosts = [...new Set([...allowedPrivateHosts, host])];
  return `skillet config set hub.privateHosts '${JSON.stringify(hosts).replaceAll("'", "'\\''")}'`;
}

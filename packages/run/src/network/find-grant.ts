import { isAddress } from "./canonical-host.ts";
import type { NetworkGrant } from "./network-grant.ts";

const DEFAULT_PORTS: readonly number[] = [80, 443];

/** The first grant that lets a canonical host be reached at a port. */
export function findGrant(
  grants: readonly NetworkGrant[],
  { host, port }: { readonly host: string; readonly port: number },
): NetworkGrant | undefined {
  return grants.find((grant) => coversHost(grant.host, host) && coversPort(grant.port, port));
}

function coversHost(granted: string, host: string): boolean {
  if (!granted.startsWith("*.")) return granted === host;
  // With its dot, so that *.example.org covers neither evilexample.org nor example.org itself.
  return !isAddress(host) && host.endsWith(granted.slice(1));
}

function coversPort(granted: number | undefined, port: number): boolean {
  return granted === undefined ? DEFAULT_PORTS.includes(port) : granted === port;
}

import { isPublicAddress } from "@skillet/kit/network";
import { isAddress } from "./canonical-host.ts";
import { findGrant } from "./find-grant.ts";
import type { NetworkGrant } from "./network-grant.ts";

/** Gives the addresses of a name, in the order in which they are to be tried. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const MAX_ADDRESSES = 8;

/**
 * The addresses at which a granted host may be reached. They are what is then connected to, with no second look-up
 * that could give others; empty when the name leads only to places that no grant names.
 */
export async function reachableAddresses(
  { host, port }: { readonly host: string; readonly port: number },
  { grants, resolve }: { readonly grants: readonly NetworkGrant[]; readonly resolve: ResolveHost },
): Promise<readonly string[]> {
  if (isAddress(host)) return [host];
  // Not asked of anybody: whoever answers could send us elsewhere.
  if (host === "localhost") return ["127.0.0.1", "::1"];
  const addresses = await resolve(host);
  return addresses
    .filter((address) => isPublicAddress(address) || findGrant(grants, { host: address, port }) !== undefined)
    .slice(0, MAX_ADDRESSES);
}

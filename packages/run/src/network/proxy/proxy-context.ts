import type { NetworkGrant } from "../network-grant.ts";
import type { ResolveHost } from "../reachable-addresses.ts";
import type { RefusalList } from "./refusal-list.ts";

/** What all connections of one run share. */
export interface ProxyContext {
  readonly grants: readonly NetworkGrant[];
  readonly resolve: ResolveHost;
  readonly refusals: RefusalList;
  /** For each address of a host. */
  readonly connectTimeoutMs: number;
  /** For the whole head of a request, and for the first message of TLS. */
  readonly headTimeoutMs: number;
}

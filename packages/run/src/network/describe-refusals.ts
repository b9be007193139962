import type { Diagnostic } from "@skillet/kit/diagnostics";
import { formatAuthority } from "./authority.ts";
import type { NetworkRefusal } from "./network-refusal.ts";

// Enough to see what a script wanted; a hostile one asks for thousands.
const MAX_DESCRIBED = 10;

const REASONS: Readonly<Record<NetworkRefusal["reason"], string>> = {
  "not-granted": "it is not granted",
  "address-not-granted": "its name leads to this machine or its network, which the grant does not name",
  "not-tls": "only TLS is spoken on that port",
  "tls-name-differs": "the TLS hello names another host, or hides which",
  "not-http": "only plain HTTP is spoken on that port",
  "http-host-differs": "the request in the tunnel is for another host",
};
// The others are about what was said to a host that is granted already.
const MENDED_BY_GRANT = new Set<NetworkRefusal["reason"]>(["not-granted", "address-not-granted"]);

/** What a script asked the network for and did not get, for people; `script` is the file that it is about. */
export function describeRefusals(refusals: readonly NetworkRefusal[], script: string): Diagnostic[] {
  const described = refusals.slice(0, MAX_DESCRIBED).map(
    (refusal): Diagnostic => ({
      code: "network-refused",
      severity: "warning",
      message: `${formatAuthority(refusal)} was not reached, ${refusal.count === 1 ? "once" : `${refusal.count} times`}: ${REASONS[refusal.reason]}.`,
      file: script,
      hint: MENDED_BY_GRANT.has(refusal.reason)
        ? `If the script should reach it, grant ${formatAuthority(refusal)}.`
        : "The host is granted; look at what the script says to it, and in whose name.",
    }),
  );
  const more = refusals.length - described.length;
  if (more <= 0) return described;
  return [
    ...described,
    {
      code: "network-refused",
      severity: "warning",
      message: `${more} more hosts were not reached.`,
      file: script,
      hint: "Look at what the script does before you grant any of them.",
    },
  ];
}

import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { formatAuthority } from "./network-grant.ts";

const REASONS = {
  "not-granted": "it is not granted",
  "address-not-granted": "its name leads to @, which is not a public address and was not granted",
  "not-tls": "only TLS is spoken on that port",
  "tls-name-differs": "the TLS hello names another host, or hides which",
  "not-http": "only plain HTTP is spoken on that port",
  "http-host-differs": "the request in the tunnel is for another host",
  "no-address": "no address was found for its name (@)",
  "no-connection": "this machine could not connect to it (@)",
};

export interface NetworkRefusal {
  readonly host: string;
  readonly port: number;
  /** The address that the name leads to, if that is the reason. */
  readonly address?: string;
  /** The system's error code, such as `ENOTFOUND`. */
  readonly errorCode?: string;
  readonly reason: keyof typeof REASONS;
  readonly count: number;
}

const UNREACHABLE = "The host is granted; check its name and port, and that this machine is online.";

// Enough to show what a script wanted; a hostile one asks for thousands.
const MAX_DESCRIBED = 10;

export function describeRefusals(refusals: readonly NetworkRefusal[], script: string): Diagnostic[] {
  const warning = (message: string, hint: string): Diagnostic =>
    diagnostic("warning", "network-refused", script, message, hint);
  const described = refusals.slice(0, MAX_DESCRIBED).map((refusal) => {
    const host = formatAuthority(refusal);
    const { address = "this machine", errorCode = address, port, reason } = refusal;
    const times = refusal.count === 1 ? "once" : `${refusal.count} times`;
    const hints: Partial<Record<NetworkRefusal["reason"], string>> = {
      "not-granted": `If the script should reach it, grant it: --network ${host}`,
      "address-not-granted": `If the script should reach it, grant that address as well: --network ${formatAuthority({ host: address, port })}`,
      "no-address": UNREACHABLE,
      "no-connection": UNREACHABLE,
    };
    return warning(
      `${host} was not reached, ${times}: ${REASONS[reason].replace("@", errorCode)}.`,
      hints[reason] ?? "The host is granted; check what the script sends to it, and under which host name.",
    );
  });
  const more = refusals.length - described.length;
  const look = "Look at what the script does before you grant any of them.";
  return more > 0 ? [...described, warning(`${more} more hosts were not reached.`, look)] : described;
}

const MAX_REFUSALS = 100;

/** Keeps each different refusal once, with its count, up to a hundred different ones. */
export class RefusalList {
  readonly #refusals = new Map<string, NetworkRefusal>();

  get entries(): readonly NetworkRefusal[] {
    return [...this.#refusals.values()];
  }

  add(refusal: Omit<NetworkRefusal, "count">): void {
    const key = `${refusal.reason} ${refusal.host} ${refusal.port}`;
    const known = this.#refusals.get(key);
    if (known !== undefined || this.#refusals.size < MAX_REFUSALS)
      this.#refusals.set(key, { ...refusal, count: (known?.count ?? 0) + 1 });
  }
}

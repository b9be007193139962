import { RunSlots } from "../run-slots.ts";
import type { ResolveHost } from "./reachable-addresses.ts";

// Each look-up holds one of the few threads on which this process also reads its files, for as long as a name server
// likes to take.
const MAX_LOOKUPS = 2;
// More than one run can have connections.
const MAX_WAITING = 128;

/**
 * Looks each name up once at a time, for all who ask meanwhile, and few names at once. Nothing is kept beyond that: a
 * name leads where it leads when it is asked for, and the addresses are checked each time.
 */
export function sharedLookups(resolve: ResolveHost): ResolveHost {
  const running = new Map<string, Promise<readonly string[]>>();
  const slots = new RunSlots({ concurrent: MAX_LOOKUPS, waiting: MAX_WAITING });
  const start = async (host: string): Promise<readonly string[]> => {
    const found = await slots.use(undefined, () => resolve(host));
    if (typeof found === "string") throw new TooManyLookups();
    return found;
  };
  return (host) => {
    const known = running.get(host);
    if (known !== undefined) return known;
    const answer = start(host).finally(() => running.delete(host));
    running.set(host, answer);
    return answer;
  };
}

class TooManyLookups extends Error {
  readonly code = "EAGAIN";

  constructor() {
    super("Too many names are looked up at once.");
    this.name = "TooManyLookups";
  }
}

import * as yaml from "yaml";
import type { DataReading } from "../analyse/data/data-node.ts";

/** Where the first fault of a YAML text is, in characters from its start; 0 where that is not known. */
export function yamlFaultOffset(text: string, { limit }: DataReading): number {
  // What reached a bound, such as one of depth, is not given to the library a second time.
  if (limit !== undefined || text.length > MAX_CHARACTERS) return 0;
  const [fault] = yaml.parseDocument(text, { ...OPTIONS }).errors;
  return Math.min(fault?.pos[0] ?? 0, text.length);
}

const MAX_CHARACTERS = 256 * 1024;
const OPTIONS = {
  strict: false,
  uniqueKeys: false,
  logLevel: "silent",
  prettyErrors: false,
  schema: "failsafe",
} as const;

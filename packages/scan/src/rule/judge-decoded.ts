import type { DataSource } from "../fact/data-source.ts";
import type { FlowFact } from "../fact/fact.ts";
import type { FindingSeverity } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { isDocument, isSpecimenHost, isTeaching } from "./is-teaching.ts";
import { judgeDestination } from "./judge-destination.ts";

/** How bad it is to run what was decoded; `firm` where no quotation makes it harmless. */
export interface DecodedJudgement {
  readonly severity: FindingSeverity;
  readonly demoted?: string;
  readonly firm?: true;
}

/** Judges a decoded text that is run by how it was encoded and whom it talks to; what it does is judged besides. */
export function judgeDecoded(
  flow: FlowFact,
  decoded: readonly Extract<DataSource, { readonly type: "decoded" }>[],
  profile: SkillProfile,
): DecodedJudgement {
  const text = decoded.findLast((source) => source.text !== undefined)?.text;
  if (text === undefined && isTeaching(flow, undefined, profile))
    return { severity: "info", demoted: "a skill about attacks shows it without a payload" };
  const addresses = text === undefined ? [] : addressesIn(text);
  if (addresses.some((address) => isRealDestination(address, profile)))
    return { severity: "critical", firm: true };
  if (text !== undefined && profile.isSecurityTool && isDocument(flow))
    return addresses.length > 0
      ? { severity: "info", demoted: "a skill about attacks shows it with an address that is nobody's" }
      : { severity: "warn", demoted: "a skill about attacks shows it without an address" };
  // A packed file is unpacked every day; what is packed inside a script is not.
  const isFile = decoded.every((source) => source.encoding === "gzip" && source.text === undefined);
  return { severity: isFile ? "warn" : "critical" };
}

function addressesIn(text: string): readonly string[] {
  return text.slice(0, MAX_SEARCHED_CHARACTERS).match(ADDRESS) ?? [];
}

const MAX_SEARCHED_CHARACTERS = 4_096;
const ADDRESS =
  /(?:https?|ftp|tcp):\/\/[^\s"'|)>`]{3,200}|\/dev\/tcp\/[\w.-]{3,100}|\b\d{1,3}(?:\.\d{1,3}){3}\b/g;

function isRealDestination(address: string, profile: SkillProfile): boolean {
  const plain = address.replace("/dev/tcp/", "");
  if (isSpecimenHost(plain)) return false;
  const destination = judgeDestination(plain, profile);
  return destination === "foreign" || destination === "throwaway";
}

import type { FactPlace } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";

/** How bad it is to point an agent at another endpoint: by whose it is, and whether the file takes effect by itself. */
export function judgeEndpoint(
  fact: FactPlace,
  setting: string,
  { declaredHosts }: SkillProfile,
): Pick<RuleHit, "severity" | "demoted"> {
  const url = /[a-z]+:\/\/\S+/i.exec(setting)?.[0] ?? "";
  const kind = classifyHost(url);
  if (url === "" || kind === "unknown" || kind === "placeholder")
    return { severity: "info", demoted: "the reader puts the address in" };
  if (kind === "loopback" || kind === "private")
    return { severity: "info", demoted: "the endpoint is local" };
  if (kind === "known-vendor") return { severity: "info", demoted: "the endpoint is a known vendor's" };
  const host = hostOf(url) ?? "";
  if (OBEYED_FILE.test(fact.file) && fact.medium === "config") return { severity: "critical" };
  if (declaredHosts.has(host) || declaredHosts.has(registeredDomain(host)))
    return { severity: "info", demoted: "the endpoint is the skill's own service" };
  return { severity: "warn" };
}

/** Read by an agent that is started in the folder, without a question. */
const OBEYED_FILE =
  /(?:^|\/)(?:\.claude|\.codex|\.gemini|\.cursor|\.vscode)\/|(?:^|\/)\.env(?:\.local)?$|(?:^|\/)\.?settings(?:\.local)?\.json$|(?:^|\/)plugin\.json$/;

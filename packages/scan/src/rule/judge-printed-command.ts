import type { FlowFact } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { isSpecimenHost } from "./is-teaching.ts";
import { judgeDestination } from "./judge-destination.ts";

/** A command that a program computes and prints: whoever follows what it says runs what nobody could read before. */
export function judgePrintedCommand(flow: FlowFact, profile: SkillProfile): readonly RuleHit[] {
  if (flow.sink.type !== "instructions") return [];
  const decoded = flow.sources.find((source) => source.type === "decoded");
  const text = decoded?.type === "decoded" ? decoded.text : undefined;
  const address = text === undefined ? undefined : FETCH.exec(text)?.[1];
  if (text === undefined || address === undefined || isSpecimenHost(address)) return [];
  const destination = judgeDestination(address, profile);
  if (destination === "local" || destination === "placeholder") return [];
  const message = `The program puts a command together that fetches ${address}, and prints it to be followed`;
  if (profile.isSecurityTool)
    return [{ severity: "warn", place: flow, message, demoted: "a skill about attacks shows it" }];
  // A script that is fetched is fetched to be run, and only its address was worth hiding.
  const isProgram = RUNS.test(text) || PROGRAM.test(address);
  return [{ severity: isProgram ? "critical" : "warn", place: flow, message }];
}

const FETCH =
  /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|git clone|mshta|certutil)\b[^\n]{0,200}?(https?:\/\/[^\s"'|)>`;&]{3,200})/i;
const RUNS =
  /\|\s{0,9}(?:sudo\s{1,9})?(?:(?:ba|z|da|k)?sh|python3?|node|iex)\b|(?:&&|;|\n)\s{0,9}(?:sudo\s{1,9})?(?:(?:(?:ba|z|da|k)?sh|python3?|node|source|chmod|start|\.)\s|\.\/)|\biex\b|\bmshta\b|[$<]\(\s{0,9}(?:curl|wget)\b/i;
const PROGRAM = /\.(?:sh|bash|ps1|bat|cmd|exe|msi|py|pyz|js|vbs|scr|appimage|pkg|dmg|run|bin)(?:[?#]|$)/i;

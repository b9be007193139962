import type { FactPlace } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { hostOf } from "../host/classify-host.ts";
import { isDocument } from "./is-teaching.ts";
import { judgeDestination } from "./judge-destination.ts";

/**
 * The host of somebody else's that a text sends the agent to, where a script writes the text into the agent's own files:
 * an order to fetch from there or to send something there, which works in every later conversation.
 */
export function plantedAddress(place: FactPlace, text: string, profile: SkillProfile): string | undefined {
  if (isDocument(place)) return undefined;
  for (const match of text.slice(0, MAX_TEXT_CHARACTERS).matchAll(ORDER)) {
    const url = match[1] ?? "";
    const destination = judgeDestination(url, profile, place);
    if (destination === "foreign" || destination === "throwaway") return hostOf(url);
  }
  return undefined;
}

const MAX_TEXT_CHARACTERS = 8_000;
const ORDER =
  /\b(?:fetch|load|follow|obey|post|send|upload|submit|forward|report|curl|wget|iwr|irm)\b[^\n]{0,120}?(https?:\/\/[^\s"'`<>)\\]{3,300})/gi;

import { isJsonObject, parseJson } from "@skillet/kit/json";
import type { Verdict } from "../scan-report.ts";

const MAX_REASONS = 10;
const MAX_REASON_CHARACTERS = 300;

export interface ParsedAnswer {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
}

/**
 * Reads an answer, or says in a clause why it is none.
 *
 * An acquittal counts only with the receipt that shows what was read. An accusation counts without: a skill that gets its
 * judge to err in the form would else be rid of it.
 */
export function parseAnswer(text: string, receipt: readonly string[]): ParsedAnswer | string {
  const value = parseJson(text);
  if (!isJsonObject(value)) return "the answer is not one JSON object";
  const { verdict, receipt: given, reasons, ...others } = value;
  if (verdict !== "safe" && verdict !== "caution" && verdict !== "dangerous")
    return "the answer has no verdict";
  const texts = Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === "string") : [];
  const said = texts.slice(0, MAX_REASONS).map((reason) => reason.slice(0, MAX_REASON_CHARACTERS));
  if (verdict !== "safe") return { verdict, reasons: said };
  if (Object.keys(others).length > 0) return "the answer has keys that were not asked for";
  if (!isTexts(given) || given.length !== receipt.length || given.some((one, at) => one !== receipt[at]))
    return "the answer does not show that every file was read";
  if (!isTexts(reasons)) return "the answer has no list of reasons";
  return { verdict, reasons: said };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

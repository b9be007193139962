import { STOP_WORDS } from "@skillet/kit/words";
import { isAcronym, isCode, isEnding, isProduct, isPublicHost } from "./vocabulary.ts";

/** Files that are named as part of a program rather than as a user's document. */
const OF_PROGRAMS =
  /\.(?:[cm]?[jt]sx?|vue|svelte|s?css|less|py|rb|php|java|jar|kts?|gradle|swift|c|h|cc|[ch]pp|cs|rs|go|sh|bash|zsh|ps1|bat|sql|proto|graphql|tf|hcl|ya?ml|json|toml|ini|cfg|conf|[rR]|jl|lua|exs?|scala|dart)$/;

export const isOfProgram = (path: string): boolean => OF_PROGRAMS.test(path);

/** The words of a name: sum, by, month and py for `sumByMonth_v2.py`. */
export const wordsIn = (text: string): readonly string[] =>
  text
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu}\p{Ll})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\d]+/u)
    .filter((word) => /\p{L}/u.test(word));

/** The harmless end of any other path: its extension, or its file name if that is a part of a program. */
export function endOfPath(path: string, isOrdinary: (name: string) => boolean): string {
  if (/:\/\/|@/.test(path)) return "";
  const [name = ""] = /\/[\w.-]+$/.exec(path) ?? [];
  if (isOfProgram(name) && isOrdinaryPath(name.slice(1)) && isOrdinary(name)) return name;
  const [ending = ""] = /(?:\.[a-z]{2,5})?\.[a-zR]\w{0,7}$/.exec(path) ?? [];
  return ending !== "" && ending.slice(1).split(".").every(isEnding) ? ending : "";
}

/** Whether a relative path may consist of ordinary words; a name that contains only dots may be a host. */
export function isOrdinaryPath(path: string): boolean {
  if (!/^(?:\.{1,2}\/)*[\p{L}.*_<>][\p{L}\d.*_/<>-]{0,120}$/u.test(path) || /[_-]{2}|\/\//.test(path))
    return false;
  return path.split("/").every((folder, at, all) => {
    const [stem = "", ...endings] = folder.replace(/^\./, "").split(".");
    const isWord = (part: string): boolean =>
      /^\p{Ll}{0,20}$/u.test(part) || isCode(part) || /^[A-Za-z]{1,30}$/.test(part);
    return (
      (at === 0 || !/^(?:home|users)$/i.test(all[at - 1] ?? "")) &&
      endings.every((ending) => isEnding(ending) || ending === "*" || ending === "") &&
      stem.split(/[*_<>-]+/).every(isWord)
    );
  });
}

const isFileLike = (word: string): boolean => /^[\p{L}\d._/*-]*(?:\/|\.[\p{L}\d]{1,8}$)/u.test(word);
const NUMBER =
  /^(?:\d{1,2}|\d{1,3}%|\d{1,2}[:.]\d{2}|20[0-3]\d|\d{1,4}(?:px|kb|mb|gb|ms|s|h|x)|[<>]=?|[+&=→/])$/i;

/** Parts of ordinary compounds, as opposed to names of services: "read-only", "self-hosted", "end-to-end". */
const COMPOUNDING = new Set(
  (
    "re pre non anti auto semi co de inter self cross mid multi end post ex two three four five half full high low long " +
    "short first second third last real open closed well ready dry fine follow sign log set roll check back built look " +
    "based only level wide friendly aware like style facing driven specific hosted coded free safe side time term"
  ).split(" "),
);

/** Any other compound of ordinary words may be a name within the user's company: "flight-software". */
const isPlainCompound = (lower: string): boolean => {
  const parts = lower.split("-");
  return parts.length === 1 || parts.some((part) => STOP_WORDS.has(part) || COMPOUNDING.has(part));
};

/** Whether a word names no person or place: an ordinary word or path, a product, an acronym, a small number. */
export function isOrdinaryWord(word: string, isCommon: (lower: string) => boolean): boolean {
  const lower = word.toLowerCase();
  const parts = lower.split(/[/-]/);
  if (/^[\p{Lo}\p{Lm}\p{M}、。「」『』・（）！？〜…]+$/u.test(word) || NUMBER.test(word)) return true;
  if (/^\/[a-z]{2,20}$/.test(word)) return isCommon(word.slice(1));
  if (isCode(word) || isAcronym(word)) return true;
  if (/^[\p{L}'/-]+$/u.test(word) && parts.every(isProduct)) return true;
  // "Don't" is as common as "don", and "AFTER the switch" consists of ordinary words as well.
  if (/^(?:\p{Lu}?\p{Ll}*|\p{Lu}{2,})(?:['’/-]\p{Ll}{1,24}){0,3}$/u.test(word))
    return (
      isCommon(lower) ||
      (lower.split(/['’]\p{Ll}{1,2}$|['’/-]/u).every((part) => part === "" || isCommon(part)) &&
        lower.split("/").every(isPlainCompound))
    );
  const [, host, rest = ""] = /^https?:\/\/([\w.-]+)(?::\d{2,5})?(\/.*)?$/.exec(word) ?? [];
  const path = host === undefined ? word : rest.slice(1);
  if (host === undefined ? !isFileLike(word) : !isPublicHost(host)) return false;
  return path === "" || (isOrdinaryPath(path) && wordsIn(path).every(isCommon));
}

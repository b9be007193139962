import { STOP_WORDS } from "@skillet/kit/words";
import { isAcronym, isCode, isEnding, isProduct, isPublicHost } from "./vocabulary.ts";

/** Whose names are those of parts of a program, and not what somebody called a document. */
const OF_PROGRAMS =
  /\.(?:[cm]?[jt]sx?|vue|svelte|s?css|less|py|rb|php|java|jar|kts?|gradle|swift|c|h|cc|[ch]pp|cs|rs|go|sh|bash|zsh|ps1|bat|sql|proto|graphql|tf|hcl|ya?ml|json|toml|ini|cfg|conf|[rR]|jl|lua|exs?|scala|dart)$/;

export const isOfProgram = (path: string): boolean => OF_PROGRAMS.test(path);

/** The words of a name: of `sumByMonth_v2.py` sum, by, month and py. */
export const wordsIn = (text: string): readonly string[] =>
  text
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu}\p{Ll})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\d]+/u)
    .filter((word) => /\p{L}/u.test(word));

/** What is harmless of a path that is not: how it ends, with its name where that is one of a program's parts. */
export function endOfPath(path: string, isOrdinary: (name: string) => boolean): string {
  if (/:\/\/|@/.test(path)) return "";
  const [name = ""] = /\/[\w.-]+$/.exec(path) ?? [];
  if (isOfProgram(name) && isOrdinaryPath(name.slice(1)) && isOrdinary(name)) return name;
  const [ending = ""] = /(?:\.[a-z]{2,5})?\.[a-zR]\w{0,7}$/.exec(path) ?? [];
  return ending !== "" && ending.slice(1).split(".").every(isEnding) ? ending : "";
}

/** A relative path that could be one of words; what only has dots may be a machine. */
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

/** What makes a compound of the language rather than the name of a service: "read-only", "self-hosted", "end-to-end". */
const COMPOUNDING = new Set(
  (
    "re pre non anti auto semi co de inter self cross mid multi end post ex two three four five half full high low long " +
    "short first second third last real open closed well ready dry fine follow sign log set roll check back built look " +
    "based only level wide friendly aware like style facing driven specific hosted coded free safe side time term"
  ).split(" "),
);

/** Any other compound of ordinary words may be what the user's company calls something: "flight-software". */
const isPlainCompound = (lower: string): boolean => {
  const parts = lower.split("-");
  return parts.length === 1 || parts.some((part) => STOP_WORDS.has(part) || COMPOUNDING.has(part));
};

/** Whether a word of a sentence says nothing about who and where: an ordinary word or path, a product, an acronym, a small number. */
export function isOrdinaryWord(word: string, isCommon: (lower: string) => boolean): boolean {
  const lower = word.toLowerCase();
  const parts = lower.split(/[/-]/);
  if (/^[\p{Lo}\p{Lm}\p{M}、。「」『』・（）！？〜…]+$/u.test(word) || NUMBER.test(word)) return true;
  if (/^\/[a-z]{2,20}$/.test(word)) return isCommon(word.slice(1));
  if (isCode(word) || isAcronym(word)) return true;
  if (/^[\p{L}'/-]+$/u.test(word) && parts.every(isProduct)) return true;
  // "Don't" is as common as "don", and "AFTER the switch" is an ordinary word, too.
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

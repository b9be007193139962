import { crontabCommands } from "@skillet/shell";
import { decodeEntities } from "../analyse/markdown/decode-entities.ts";
import { analyseShell } from "../analyse/shell/analyse-shell.ts";
import { FactBook, wholeFile } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/finding.ts";
import { remembered } from "../word-list.ts";
import { EX1, EX2, EX3 } from "./execution.ts";
import { DX1, DX5 } from "./exfiltration.ts";
import { judgeDestination } from "./judge-destination.ts";

const MAX_PAYLOAD_CHARACTERS = 64 * 1024;

/** What is wrong with a text that runs automatically, as the end of a sentence; undefined if nothing is. */
export function findPayload(text: string, profile: SkillProfile): string | undefined {
  const seen = remembered(SEEN, profile, () => ({ characters: 0, payloads: new Map() }));
  const plain = text.slice(
    0,
    seen.characters < MAX_READ_CHARACTERS ? MAX_PAYLOAD_CHARACTERS : MAX_LATE_CHARACTERS,
  );
  if (seen.payloads.has(plain)) return seen.payloads.get(plain);
  seen.characters += plain.length;
  const payload = readPayload(plain, profile);
  seen.payloads.set(plain, payload);
  return payload;
}

// Bounds the work: a skill can write the same long text a thousand times.
const SEEN = new WeakMap<
  SkillProfile,
  { characters: number; readonly payloads: Map<string, string | undefined> }
>();
const MAX_READ_CHARACTERS = 1024 * 1024;
const MAX_LATE_CHARACTERS = 4 * 1024;

function readPayload(plain: string, profile: SkillProfile): string | undefined {
  if (
    !/curl|wget|fetch|base64|\/dev\/tcp|\bnc\b|ncat|socat|eval|iex|irm|iwr|python|perl|node|xxd|openssl|git\s{1,5}push/i.test(
      plain,
    )
  )
    return undefined;
  const commands = [...crontabCommands(plain), ...groupsOf(UNIT_SETTINGS, plain), plistCommand(plain)].join(
    "\n",
  );
  const body = commands.trim() === "" ? plain : commands;
  const text = [body, ...groupsOf(ALIASES, plain), ...quotedCommands(plain)].join("\n");
  const place = { ...wholeFile("payload", "", false), firstLine: 1, keepsLines: true };
  const book = new FactBook(analyseShell({ ...place, text, language: "shell" }).facts);
  for (const [rule, phrase] of PHRASES)
    if (rule.find(book, profile).some(({ severity }) => severity === "critical")) return phrase;
  return sendsRepository(book, profile) ? "sends the repository to somebody else" : undefined;
}

// A hook that pushes every commit to an unrelated host.
function sendsRepository(book: FactBook, profile: SkillProfile): boolean {
  return book.flowsInto("network").some(({ sink }) => {
    if (sink.how !== "git" || !/^\w+:\/\//.test(sink.url ?? "")) return false;
    const destination = judgeDestination(sink.url, profile);
    return destination === "foreign" || destination === "throwaway";
  });
}

const PHRASES = [
  [EX1, "downloads and runs something"],
  [EX2, "decodes and runs something"],
  [EX3, "gives a shell to somebody elsewhere"],
  [DX1, "sends secrets away"],
  [DX5, "sends away what a person does"],
] as const;

// An alias runs when the user types its name.
const ALIASES = /^\s{0,20}alias\s{1,5}[\w.-]{1,60}=(["'])([^\n]{1,2000})\1\s{0,20}$/gm;

// A line of Python, or a setting in JSON, contains the command as a string.
function quotedCommands(text: string): readonly string[] {
  if (!/\b(?:system|subprocess|popen|exec\w{0,4}|spawn\w{0,4})\b|"command"/.test(text)) return [];
  return groupsOf(/(["'])([^"'\n\\]{8,2000})\1/g, text).slice(0, MAX_QUOTED);
}

const MAX_QUOTED = 50;
const UNIT_SETTINGS =
  /^\s{0,20}(Exec)(?:Start|StartPre|StartPost|Reload)\s{0,5}=\s{0,5}[-@:+!]{0,3}(\S[^\n]{0,2000})$/gm;

function groupsOf(pattern: RegExp, text: string): readonly string[] {
  return Array.from(text.matchAll(pattern), (match) => match[2] ?? "");
}

// Each argument of a property list is a string of its own; the one after `-c` is the command.
function plistCommand(text: string): string {
  if (!text.includes("<string>")) return "";
  const strings = Array.from(text.matchAll(/<string>([^<]{0,2000})<\/string>/g), (match) =>
    decodeEntities(match[1] ?? ""),
  );
  const at = strings.findIndex((value) => /^-\w{0,3}c$/.test(value));
  return at === -1 ? strings.join(" ") : (strings[at + 1] ?? "");
}

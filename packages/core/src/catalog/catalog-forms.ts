import { removeHidden } from "@skillet/kit/text";
import type { Skill } from "../registry/skill.ts";

/**
 * How a catalogue is written down: `start`, then entries and perhaps a note with `separator` between them, then `end`.
 *
 * An entry is `before`, its description between `descriptionStart` and `descriptionEnd`, and `after`; one without a
 * description is `before` and `after` alone.
 */
export interface CatalogForm {
  readonly start: string;
  readonly separator: string;
  readonly end: string;
  readonly descriptionStart: string;
  readonly descriptionEnd: string;
  before(entry: CatalogEntry): string;
  after(entry: CatalogEntry): string;
  /** A description as the form can hold it, not yet escaped: on one line where an entry has one line. */
  layOut(description: string): string;
  /** Works on each character alone, so that part of a text can be weighed without writing it. */
  escapeText(text: string): string;
  note(omission: Omission): string;
}

/** The reference form: every value escaped, on lines of its own. */
export const XML_FORM: CatalogForm = {
  start: "<available_skills>\n",
  separator: "\n",
  end: "\n</available_skills>",
  descriptionStart: "<description>\n",
  descriptionEnd: "\n</description>\n",
  before: ({ name }) => `<skill>\n<name>\n${escapeXml(name)}\n</name>\n`,
  after: ({ location }) => `<location>\n${escapeXml(location)}\n</location>\n</skill>`,
  layOut: (description) => description,
  escapeText: escapeXml,
  note: (omission) => `<omitted>\n${escapeXml(omissionText(omission))}\n</omitted>`,
};

export function renderEntryXml(skill: Skill): string {
  const { before, descriptionStart, escapeText, descriptionEnd, after } = XML_FORM;
  const entry = catalogEntry(skill);
  return `${before(entry)}${descriptionStart}${escapeText(entry.description)}${descriptionEnd}${after(entry)}`;
}

/** A list with one entry on a line; left out skills are counted in a last element that has no name. */
export const JSON_FORM: CatalogForm = {
  start: "[\n",
  separator: ",\n",
  end: "\n]",
  descriptionStart: ',"description":"',
  descriptionEnd: '"',
  before: ({ name }) => `{"name":"${escapeJson(name)}"`,
  after: ({ location }) => `,"location":"${escapeJson(location)}"}`,
  layOut: (description) => description,
  escapeText: escapeJson,
  note: (omission) => `{"omitted":${omission.count},"note":"${escapeJson(omissionText(omission))}"}`,
};

// Hosts put the list between tags of their own, which a description must not close, and read it line by line.
const UNSAFE = /[<\u0085\u2028\u2029]/g;

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1).replace(UNSAFE, writeCode);
}

function writeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** One list item a skill; name and path are code spans, and everything after the colon is description. */
export const MARKDOWN_FORM: CatalogForm = {
  start: "## Available skills\n\n",
  separator: "\n",
  end: "",
  descriptionStart: ": ",
  descriptionEnd: "",
  before: ({ name, location }) => `- ${codeSpan(name)} (${codeSpan(location)})`,
  after: () => "",
  layOut: toOneLine,
  escapeText: escapeMarkdown,
  // A blank line ends the list, so that the note is not part of its last item.
  note: (omission) => `\n${omissionText(omission, codeSpan)}`,
};

/** For the description of the tool that loads skills by name; the model needs no paths then. */
export const TOOL_FORM: CatalogForm = {
  ...MARKDOWN_FORM,
  start:
    "Loads the instructions of a skill by its name. If a task fits one of these skills, load it before you begin.\n\n",
  before: ({ name }) => `- ${codeSpan(name)}`,
};

export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
  readonly location: string;
}

/** The entry of a skill: its unique name, what it is for and when, and where its SKILL.md lies. */
export function catalogEntry(skill: Skill): CatalogEntry {
  const { description, whenToUse } = skill.manifest;
  return {
    name: skill.qualifiedName,
    // Asked for of the few that are listed. A model reads what people cannot see: they would approve one text, and it
    // would follow another.
    get description() {
      // Some authors keep the occasions in a field of their own, and a model needs them to choose.
      return removeHidden(whenToUse === undefined ? description : `${description} ${whenToUse}`);
    },
    location: skill.path,
  };
}

export interface CatalogSearch {
  readonly toolName: string;
}

interface Omission {
  readonly count: number;
  readonly search: CatalogSearch | undefined;
}

function omissionText(
  { count, search }: Omission,
  quoteName: (name: string) => string = (name) => name,
): string {
  const what = count === 1 ? "1 more skill is not listed here." : `${count} more skills are not listed here.`;
  if (search === undefined) return `${what} The user can name the one to use.`;
  return `${what} Find what you need with ${quoteName(search.toolName)}: a few words about the task are enough.`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
  // Readers turn a bare carriage return into a line feed.
  "\r": "&#xD;",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const SPECIAL = /[&<>"'\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

/**
 * Escapes text so that no name, description or path can forge markup, or make it unreadable.
 *
 * A reader gets the same text back, with U+FFFD for each character that XML cannot carry.
 */
export function escapeXml(text: string): string {
  // Not even an entity may stand for the others: https://www.w3.org/TR/xml/#charsets
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? "\ufffd");
}

// Everything that could begin or end a code span, a link, emphasis, a tag or an escape; what only counts at the
// beginning of a line is harmless, since no text of a skill stands there.
const MARKUP = /[\\`*_~[\]<>]/g;

/** Escapes one line of text so that it is nothing but text in Markdown. */
function escapeMarkdown(text: string): string {
  return text.replace(MARKUP, "\\$&");
}

// White space and control characters, among them every kind of line break.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const GAPS = /[\s\0-\x1f\x7f-\x9f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, but for single spaces between words
const HAS_GAPS = /[^\S ]|[\0-\x1f\x7f-\x9f]| {2}|^ | $/;

function toOneLine(text: string): string {
  const line = HAS_GAPS.test(text) ? text.replace(GAPS, " ").trim() : text;
  return replaceHalves(line);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const BREAKS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g;

/** A code span that holds exactly this text; control characters, line breaks among them, become U+FFFD. */
function codeSpan(text: string): string {
  const content = replaceHalves(text).replace(BREAKS, "\ufffd");
  let fence = "`";
  // A span ends at a run of exactly as many backticks as began it.
  for (const run of content.match(/`+/g) ?? []) if (run.length >= fence.length) fence = `${run}\``;
  // Markdown takes one space off each side of a span that has one on both.
  const gap = content === "" || /^[ `]|[ `]$/.test(content) ? " " : "";
  return `${fence}${gap}${content}${gap}${fence}`;
}

// Halves of surrogate pairs are not characters and cannot be sent as UTF-8.
function replaceHalves(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

import { removeHidden } from "@skillet/kit/text";
import type { Skill } from "../registry/skill.ts";
import { type CatalogGuidance, guidanceText, toolGuidanceText } from "./catalog-guidance.ts";

/**
 * How a catalogue is written: `start`, then entries and perhaps a note, joined by `separator`, then `end`.
 *
 * An entry is `before`, its description between `descriptionStart` and `descriptionEnd`, and `after`; an
 * entry without a description is `before` and `after` alone.
 */
export interface CatalogForm {
  readonly hasLocations: boolean;
  start(guidance: CatalogGuidance): string;
  readonly separator: string;
  readonly end: string;
  readonly descriptionStart: string;
  readonly descriptionEnd: string;
  before(entry: EntryHead): string;
  after(entry: EntryHead): string;
  /** Fits a description to the form without escaping it: on one line if the form has one line per entry. */
  layOut(description: string): string;
  /** Escapes each character by itself, so that part of a text can be weighed without writing it. */
  escapeText(text: string): string;
  note(omission: Omission): string;
}

/** The reference form: every value is escaped and on a line of its own. */
export const XML_FORM: CatalogForm = { ...createXmlForm("\n", escapeXml), layOut: asItIs };

export const COMPACT_XML_FORM: CatalogForm = { ...createXmlForm("", escapeXmlLine), layOut: toOneLine };

/** @param gap the text between a tag and its value */
function createXmlForm(gap: string, escapeValue: (text: string) => string): Omit<CatalogForm, "layOut"> {
  const element = (tag: string, value: string): string => `<${tag}>${gap}${value}${gap}</${tag}>`;
  return {
    hasLocations: true,
    start: (guidance) => `${paragraph(guidanceText(guidance))}<available_skills>\n`,
    separator: "\n",
    end: "\n</available_skills>",
    descriptionStart: `<description>${gap}`,
    descriptionEnd: `${gap}</description>\n`,
    before: ({ name, userOnly }) => {
      const mark = userOnly ? `${element("invocation", USER_ONLY)}\n` : "";
      return `<skill>\n${element("name", escapeValue(name))}\n${mark}`;
    },
    after: ({ location }) =>
      location === undefined ? "</skill>" : `${element("location", escapeValue(location))}\n</skill>`,
    escapeText: escapeXml,
    note: (omission) => element("omitted", escapeXml(omissionText(omission))),
  };
}

export function renderEntryXml(skill: Skill): string {
  const { before, descriptionStart, escapeText, descriptionEnd, after } = XML_FORM;
  const entry = catalogEntry(skill);
  return `${before(entry)}${descriptionStart}${escapeText(entry.description)}${descriptionEnd}${after(entry)}`;
}

/** One entry per line; guidance comes first and the count of omitted skills last, as nameless elements. */
export const JSON_FORM: CatalogForm = {
  hasLocations: true,
  start: (guidance) => {
    const text = guidanceText(guidance);
    return text === "" ? "[\n" : `[\n{"guidance":"${escapeJson(text)}"},\n`;
  },
  separator: ",\n",
  end: "\n]",
  descriptionStart: ',"description":"',
  descriptionEnd: '"',
  before: ({ name, userOnly }) =>
    `{"name":"${escapeJson(name)}"${userOnly ? `,"invocation":"${USER_ONLY}"` : ""}`,
  after: ({ location }) => (location === undefined ? "}" : `,"location":"${escapeJson(location)}"}`),
  layOut: asItIs,
  escapeText: escapeJson,
  note: (omission) => `{"omitted":${omission.count},"note":"${escapeJson(omissionText(omission))}"}`,
};

// Hosts put the list between tags of their own, which no description may close, and read it line by line.
const UNSAFE = /[<\u0085\u2028\u2029]/g;

function escapeJson(text: string): string {
  const writeCode = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).slice(1, -1).replace(UNSAFE, writeCode);
}

/** One list item per skill; name and path are code spans, and everything after the colon is description. */
export const MARKDOWN_FORM: CatalogForm = {
  hasLocations: true,
  start: (guidance) => `## Available skills\n\n${paragraph(guidanceText(guidance, codeSpan))}`,
  separator: "\n",
  end: "",
  descriptionStart: ": ",
  descriptionEnd: "",
  before: ({ name, userOnly, location }) => {
    const place = location === undefined ? [] : [codeSpan(location)];
    const marks = userOnly ? [USER_ONLY, ...place] : place;
    return `- ${codeSpan(name)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
  },
  after: () => "",
  layOut: toOneLine,
  escapeText: (text) => text.replace(MARKUP, "\\$&"),
  // A blank line ends the list, so the note is not part of the last item.
  note: (omission) => `\n${omissionText(omission, codeSpan)}`,
};

/** For the description of the tool that loads skills by name, so the model needs no paths. */
export const TOOL_FORM: CatalogForm = {
  ...MARKDOWN_FORM,
  hasLocations: false,
  start: (guidance) => {
    const text = toolGuidanceText(guidance);
    return `Loads the instructions of a skill by its name.${text === "" ? "" : ` ${text}`}\n\n`;
  },
  before: ({ name, userOnly }) => MARKDOWN_FORM.before({ name, userOnly }),
};

const USER_ONLY = "user-only";

function paragraph(text: string): string {
  return text === "" ? "" : `${text}\n\n`;
}

interface EntryHead {
  readonly name: string;
  /** A model may suggest the skill to the user but cannot load it. */
  readonly userOnly: boolean;
  readonly location?: string;
}

export interface CatalogEntry extends EntryHead {
  readonly description: string;
  readonly location: string;
}

export function catalogEntry(skill: Skill): CatalogEntry {
  const { description, whenToUse, compatibility, invocation } = skill.manifest;
  return {
    name: skill.qualifiedName,
    // A getter, since only a few skills are listed. Hidden characters are removed: a model reads what users
    // cannot see, so users would approve one text while the model follows another.
    get description() {
      // Some authors put the occasions in a field of their own, and a model needs them to choose.
      const parts = [
        description,
        ...(whenToUse === undefined ? [] : [whenToUse]),
        // Last, because descriptions are cut at the end.
        ...(compatibility === undefined ? [] : [`Compatibility: ${compatibility}`]),
      ];
      return removeHidden(parts.join(" "));
    },
    location: skill.path,
    userOnly: !invocation.model,
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
  // XML parsers turn a bare carriage return into a line feed.
  "\r": "&#xD;",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to filter
const SPECIAL = /[&<>"'\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

/** No text can forge markup; XML parsers restore it, except that U+FFFD replaces what XML cannot carry. */
export function escapeXml(text: string): string {
  // XML does not allow these characters even as entities: https://www.w3.org/TR/xml/#charsets
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? "\ufffd");
}

/** For values on the same line as their tags: line breaks become references, which parsers turn back. */
function escapeXmlLine(text: string): string {
  const reference = (character: string): string =>
    `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`;
  return escapeXml(text).replace(/[\n\u0085\u2028\u2029]/g, reference);
}

// Everything that could begin or end a code span, a link, emphasis, a tag or an escape. Markup that works
// only at the start of a line is harmless, because no text of a skill is placed there.
const MARKUP = /[\\`*_~[\]<>]/g;

// White space and control characters, including every kind of line break.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to filter
const GAPS = /[\s\0-\x1f\x7f-\x9f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above, except single spaces between words
const HAS_GAPS = /[^\S ]|[\0-\x1f\x7f-\x9f]| {2}|^ | $/;

function asItIs(text: string): string {
  return text;
}

function toOneLine(text: string): string {
  const line = HAS_GAPS.test(text) ? text.replace(GAPS, " ").trim() : text;
  return replaceHalves(line);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to filter
const BREAKS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g;

/** A code span with exactly this text; control characters, including line breaks, become U+FFFD. */
function codeSpan(text: string): string {
  const content = replaceHalves(text).replace(BREAKS, "\ufffd");
  let fence = "`";
  // A span ends at a run of as many backticks as opened it.
  for (const run of content.match(/`+/g) ?? []) if (run.length >= fence.length) fence = `${run}\``;
  // Markdown strips one space from each side of a span that has a space on both.
  const gap = content === "" || /^[ `]|[ `]$/.test(content) ? " " : "";
  return `${fence}${gap}${content}${gap}${fence}`;
}

// Lone surrogates are not characters and cannot be encoded as UTF-8.
function replaceHalves(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

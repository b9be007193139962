import type { CatalogForm } from "./catalog-form.ts";
import { omissionText } from "./omission.ts";

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

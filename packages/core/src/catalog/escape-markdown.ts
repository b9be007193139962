// Everything that could begin or end a code span, a link, emphasis, a tag or an escape; what only counts at the
// beginning of a line is harmless, since no text of a skill stands there.
const MARKUP = /[\\`*_~[\]<>]/g;

/** Escapes one line of text so that it is nothing but text in Markdown. */
export function escapeMarkdown(text: string): string {
  return text.replace(MARKUP, "\\$&");
}

// White space and control characters, among them every kind of line break.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const GAPS = /[\s\0-\x1f\x7f-\x9f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, but for single spaces between words
const HAS_GAPS = /[^\S ]|[\0-\x1f\x7f-\x9f]| {2}|^ | $/;

/** Puts a text on one line: runs of white space and control characters become one space. */
export function toOneLine(text: string): string {
  const line = HAS_GAPS.test(text) ? text.replace(GAPS, " ").trim() : text;
  return replaceHalves(line);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const BREAKS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g;

/** A code span that holds exactly this text; control characters, line breaks among them, become U+FFFD. */
export function codeSpan(text: string): string {
  const content = replaceHalves(text).replace(BREAKS, "\ufffd");
  let fence = "`";
  // A span ends at a run of exactly as many backticks as began it.
  for (const run of content.match(/`+/g) ?? []) if (run.length >= fence.length) fence = `${run}\``;
  // Markdown takes one space off each side of a span that has one on both.
  const gap = content === "" || /^[ `]|[ `]$/.test(content) ? " " : "";
  return `${fence}${gap}${content}${gap}${fence}`;
}

// Halves of surrogate pairs are no characters and cannot be sent as UTF-8.
function replaceHalves(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

// Longer values are files, which are shown line by line; each form of them would cost memory.
const MAX_ESCAPED_CHARACTERS = 4096;

/** A value as shells, programming languages and markup write it, one latin1 character for each byte. */
export function* escapedForms(text: string): Generator<string> {
  if (text.length > MAX_ESCAPED_CHARACTERS) return;
  for (const form of [...shellForms(text), ...languageForms(text), ...markupForms(text)])
    yield Buffer.from(form).toString("latin1");
}

// `set -x` and `export -p` of bash and dash, shlex.quote, printf %q, declare -p.
function* shellForms(text: string): Generator<string> {
  yield text.replaceAll("'", String.raw`'\''`);
  yield text.replaceAll("'", `'"'"'`);
  yield text.replace(/[\t !"$&'()*,;<>?[\\\]^`{|}]/g, String.raw`\$&`);
  yield text.replace(/[$`"\\]/g, String.raw`\$&`);
}

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", String.raw`\n`],
  ["\r", String.raw`\r`],
  ["\t", String.raw`\t`],
]);

// Python, JavaScript, Ruby and Perl between either kind of quotes, and bash between $' and '.
function* languageForms(text: string): Generator<string> {
  const escaped = text
    .replaceAll("\\", "\\\\")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
    .replace(/[\x00-\x1f\x7f]/g, (character) => NAMED_ESCAPES.get(character) ?? hexEscape(character));
  const bytes = [...Buffer.from(escaped)]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`))
    .join("");
  yield text.replace(/[\\']/g, String.raw`\$&`);
  for (const form of [escaped, bytes]) {
    yield form;
    yield form.replaceAll("'", String.raw`\'`);
    yield form.replaceAll('"', String.raw`\"`);
  }
}

function hexEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

// As libraries pair them for an apostrophe and a quote.
const MARKUP_QUOTES = [
  ["'", '"'],
  ["'", "&quot;"],
  ["&#39;", "&quot;"],
  ["&#x27;", "&quot;"],
  ["&#039;", "&quot;"],
  ["&apos;", "&quot;"],
  ["&#39;", "&#34;"],
] as const;

function* markupForms(text: string): Generator<string> {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  for (const [apostrophe, quote] of MARKUP_QUOTES)
    yield escaped.replaceAll("'", apostrophe).replaceAll('"', quote);
}

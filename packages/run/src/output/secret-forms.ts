export interface SecretForm {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Programs break lines anywhere in this form, so it is also looked for with white space in between. */
  readonly wraps: boolean;
}

/** Shorter values would match everywhere, so they are not redacted. */
export const MIN_SECRET_BYTES = 4;
// A line of a key is as secret as the whole key; a shorter line may be anything.
const MIN_LINE_BYTES = 12;

// Shorter forms occur by chance in text without white space.
const MIN_WRAPPED_BYTES = 12;

/**
 * The forms in which a program shows a secret unintentionally: verbatim, one line of it, in base64 at any
 * offset of a longer text, in hexadecimal, percent-encoded, escaped for JSON, HTML, a shell or a programming
 * language. A program that shows it intentionally can always find another form.
 */
export function secretForms(name: string, value: string): readonly SecretForm[] {
  const forms = new Set<string>();
  const wrapped = new Set<string>();
  for (const text of new Set([value, value.trim()])) {
    const bytes = Buffer.from(text);
    if (bytes.length < MIN_SECRET_BYTES) continue;
    // As latin1, one character per byte.
    forms.add(bytes.toString("latin1"));
    for (const form of [...base64Forms(bytes), bytes.toString("hex"), bytes.toString("hex").toUpperCase()])
      wrapped.add(form);
    for (const form of [...percentForms(bytes), ...jsonForms(text), ...escapedForms(text)]) forms.add(form);
  }
  for (const line of value.split(/\r\n|\r|\n/)) {
    const bytes = Buffer.from(line.trim());
    if (bytes.length >= MIN_LINE_BYTES) forms.add(bytes.toString("latin1"));
  }
  return [...new Set([...forms, ...wrapped])]
    .map((form) => ({
      name,
      bytes: Buffer.from(form, "latin1"),
      wraps: wrapped.has(form) && form.length >= MIN_WRAPPED_BYTES,
    }))
    .filter(({ bytes }) => bytes.length >= MIN_SECRET_BYTES);
}

// In a longer text a secret can start at any of the three offsets of a base64 group. Characters that also
// depend on its neighbours are left out.
function* base64Forms(bytes: Buffer): Generator<string> {
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const complete = (before + bytes.length) % 3 === 0;
    const own = text.slice(before === 0 ? 0 : before + 1, complete ? undefined : -1);
    yield own;
    yield own.replaceAll("+", "-").replaceAll("/", "_");
  }
}

// encodeURIComponent, RFC 3986 and HTML forms keep different characters, and a space has two encodings.
const KEPT = ["-_.~", "-_.~/", "-_.!~*'()", "-_.*", "-_.!~*'();/?:@&=+$,#"];

function* percentForms(bytes: Buffer): Generator<string> {
  for (const kept of KEPT) {
    const encoded = Array.from(bytes, (byte) => percent(byte, kept)).join("");
    for (const form of [encoded, encoded.replaceAll("%20", "+")]) {
      yield form;
      yield form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    }
  }
}

function percent(byte: number, kept: string): string {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9]/.test(character) || kept.includes(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

// With and without escapes for non-ASCII characters, slashes and the special characters of HTML.
function* jsonForms(text: string): Generator<string> {
  const plain = JSON.stringify(text).slice(1, -1);
  for (const form of [plain, plain.replace(/[<>&]/g, unicodeEscape)]) {
    for (const slashes of [form, form.replaceAll("/", "\\/")]) {
      const ascii = slashes.replace(/[\u007f-\uffff]/g, unicodeEscape);
      for (const written of [slashes, ascii]) {
        yield asBytes(written);
        yield asBytes(written.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`));
      }
    }
  }
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function asBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

// Longer values are files, which are shown line by line; each of their forms would cost memory.
const MAX_ESCAPED_CHARACTERS = 4096;

/** A value as shells, programming languages and markup write it, one latin1 character per byte. */
function* escapedForms(text: string): Generator<string> {
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

// Python, JavaScript, Ruby and Perl in either kind of quotes, and bash between $' and '.
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

// The pairs of apostrophe and quote that libraries use.
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

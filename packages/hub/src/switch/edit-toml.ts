import { type Splice, Uncertain } from "./edit-json.ts";

const TEXTS = /"""[\s\S]*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;
// Inline, dotted, quoted, or a plain table: each is TOML, and none can be followed by `[[skills.config]]`.
const OTHER_FORMS = [
  /^[ \t]*skills[ \t]*[.=]/m,
  /^[ \t]*\[[ \t]*skills[ \t]*\.[ \t]*config\b|^[ \t]*\[\[[ \t]*skills[ \t]*\]/m,
  /^[ \t]*\[[ \t]*skills[ \t]*\][^[]*^[ \t]*config[ \t]*[.=]/m,
];

/** Turns a skill off by a `[[skills.config]]` table of its path, the last of which decides, or takes that away again. */
export function setSkillsConfig(text: string, path: string, off: boolean): Splice | undefined {
  // Texts and comments may hold anything, so they do not count.
  const bare = text.replace(TEXTS, (part) => part.replace(/[^\r\n]/g, " "));
  if (/["']/.test(bare)) throw new Uncertain("a text in it is not closed");
  if ((bare.match(/[[{]/g) ?? []).length !== (bare.match(/[\]}]/g) ?? []).length)
    throw new Uncertain("a bracket in it is not closed");
  if (OTHER_FORMS.some((form) => form.test(bare)) || /^[ \t]*\[*[ \t]*["']skills["']/m.test(text))
    throw new Uncertain("`skills.config` is written in another form than `[[skills.config]]`");
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  // JSON's escapes are TOML's, except that TOML wants this one escaped, too.
  const written = JSON.stringify(path).replaceAll("\x7f", "\\u007F");
  const block = ["[[skills.config]]", `path = ${written}`, "enabled = false", ""].join(eol);
  const start = text.indexOf(block);
  // In a text of several lines it says nothing.
  const isThere = start >= 0 && bare.startsWith("[[skills.config]]", start);
  if (off === isThere) return undefined;
  if (!off) return { start, end: start + block.length, text: "" };
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
  return { start: text.length, end: text.length, text: `${gap}${block}` };
}

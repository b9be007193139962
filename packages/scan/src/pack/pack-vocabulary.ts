import type { Language } from "../file/file-kind.ts";
import type { Medium } from "../text/source-text.ts";

// Records, so that a new language or medium does not compile before it is here.
const LANGUAGE_NAMES: Readonly<Record<Language, true>> = {
  markdown: true,
  shell: true,
  powershell: true,
  batch: true,
  python: true,
  javascript: true,
  typescript: true,
  json: true,
  yaml: true,
  toml: true,
  ini: true,
  html: true,
  svg: true,
  xml: true,
  notebook: true,
  dockerfile: true,
  makefile: true,
  css: true,
  csv: true,
  code: true,
  text: true,
};
const MEDIUM_NAMES: Readonly<Record<Medium, true>> = {
  prose: true,
  list: true,
  table: true,
  quote: true,
  heading: true,
  fence: true,
  "inline-code": true,
  link: true,
  frontmatter: true,
  comment: true,
  hidden: true,
  script: true,
  config: true,
  markup: true,
  data: true,
};

/** The languages that a rule may name. */
export const LANGUAGES: ReadonlySet<Language> = new Set(Object.keys(LANGUAGE_NAMES) as Language[]);
/** The media that a rule may name. */
export const MEDIA: ReadonlySet<Medium> = new Set(Object.keys(MEDIUM_NAMES) as Medium[]);

import type { Siblings } from "../analyse/analyser.ts";
import { decodeText } from "../file/decode-text.ts";
import { isLanguage, type Language } from "../file/file-kind.ts";
import { identifyFile } from "../file/identify-file.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { Medium, SourceText } from "../text/source-text.ts";
import type { IsFixture } from "./fixture-files.ts";

/** A module that is longer is read by itself alone. */
const MAX_SIBLING_BYTES = 256 * 1024;

export function createSiblings(files: readonly SkillFile[], isFixture: IsFixture): Siblings {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const opened = new Map<string, SourceText | undefined>();
  let byName: ReadonlyMap<string, string | undefined> | undefined;
  return {
    source: (path) => {
      if (opened.has(path)) return opened.get(path);
      const file = byPath.get(path);
      const source = file === undefined ? undefined : siblingOf(file, isFixture);
      opened.set(path, source);
      return source;
    },
    named: (name) => {
      byName ??= indexNames(files);
      return byName.get(name);
    },
  };
}

function siblingOf(file: SkillFile, isFixture: IsFixture): SourceText | undefined {
  if (file.bytes.length > MAX_SIBLING_BYTES || file.unread !== undefined) return undefined;
  const kind = identifyFile(file);
  return isLanguage(kind) ? wholeText(file, kind, isFixture(file.path)).source : undefined;
}

/** The text of a file, as the first of those that are read of it. */
export function wholeText(
  { path, bytes }: SkillFile,
  language: Language,
  isFixture: boolean,
): { readonly source: SourceText; readonly fault?: string } {
  const decoded = decodeText(bytes);
  const place = { file: path, firstLine: 1, keepsLines: true, chain: [], section: [], isFixture };
  const medium = MEDIA[language] ?? "script";
  return { ...decoded, source: { ...place, text: decoded.text, language, medium, stance: "live" } };
}

const MEDIA: Partial<Readonly<Record<Language, Medium>>> = {
  markdown: "prose",
  text: "prose",
  json: "config",
  yaml: "config",
  toml: "config",
  ini: "config",
  html: "markup",
  svg: "markup",
  xml: "markup",
  css: "markup",
  csv: "data",
};

function indexNames(files: readonly SkillFile[]): ReadonlyMap<string, string | undefined> {
  const paths = new Map<string, string | undefined>();
  for (const { path } of files) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    paths.set(name, paths.has(name) ? undefined : path);
  }
  return paths;
}

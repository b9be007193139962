import type { Siblings } from "../analyse/analyser.ts";
import { decodeText } from "../file/decode-text.ts";
import { isLanguage } from "../file/file-kind.ts";
import { identifyFile } from "../file/identify-file.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { SourceText } from "../text/source-text.ts";
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
      const source = file === undefined ? undefined : sourceOf(file, isFixture);
      opened.set(path, source);
      return source;
    },
    named: (name) => {
      byName ??= indexNames(files);
      return byName.get(name);
    },
  };
}

function sourceOf(file: SkillFile, isFixture: IsFixture): SourceText | undefined {
  if (file.bytes.length > MAX_SIBLING_BYTES || file.unread !== undefined) return undefined;
  const kind = identifyFile(file);
  if (!isLanguage(kind)) return undefined;
  return {
    file: file.path,
    text: decodeText(file.bytes).text,
    language: kind,
    firstLine: 1,
    keepsLines: true,
    chain: [],
    medium: "script",
    stance: "live",
    section: [],
    isFixture: isFixture(file.path),
  };
}

function indexNames(files: readonly SkillFile[]): ReadonlyMap<string, string | undefined> {
  const paths = new Map<string, string | undefined>();
  for (const { path } of files) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    paths.set(name, paths.has(name) ? undefined : path);
  }
  return paths;
}

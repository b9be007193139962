import type { TreeFile } from "@skillet/core";
import { MAX_SKILL_BYTES } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { quoteName } from "@skillet/kit/text";
import { checkEntryPath } from "./entry-path.ts";
import { checkPin, type FetchContext, type OpenedSource, openTree } from "./fetch-context.ts";
import { showUrl } from "./http/address.ts";
import { download } from "./http/download.ts";
import type { ResolvedOf, SourceOf } from "./source.ts";
import { decodeUri } from "./source-text.ts";

/** Opens a SKILL.md by its URL, with the files on the same site that it refers to. */
export async function openSkillFileSource(
  { url }: SourceOf<"skill-file">,
  context: FetchContext,
  expected?: ResolvedOf<"skill-file">,
): Promise<OpenedSource> {
  const { maxSkillBytes, maxFileBytes } = context.limits;
  const skill = await download(url, context, {
    accept: "text/markdown, text/plain, */*;q=0.5",
    maxBytes: MAX_SKILL_BYTES,
  });
  const files: TreeFile[] = [{ path: "SKILL.md", mode: "644", bytes: skill.bytes }];
  const diagnostics: Diagnostic[] = [];
  let remainingBytes = maxSkillBytes - skill.bytes.length;
  for (const path of checkReferences(new TextDecoder().decode(skill.bytes), url)) {
    const address = new URL(path.split("/").map(encodeURIComponent).join("/"), skill.url);
    const maxBytes = Math.min(remainingBytes, maxFileBytes);
    const found = await download(address.href, context, { maxBytes, statuses: ABSENT });
    if (ABSENT.includes(found.status)) {
      const message = `SKILL.md refers to ${quoteName(path)}, which is not there`;
      const hint = "the skill may lack a part; ask its author, or install it from its repository";
      diagnostics.push({ code: "reference-missing", severity: "warning", message, file: showUrl(url), hint });
      continue;
    }
    if (new URL(found.url).origin !== address.origin) {
      const message = `${showUrl(address)} redirects to another site, ${showUrl(found.url)}; files of a skill come from the site of its SKILL.md. Nothing is used.`;
      throw new SkilletError("reference-refused", message, { data: { url: showUrl(address) } });
    }
    remainingBytes -= found.bytes.length;
    files.push({ path, mode: "644", bytes: found.bytes });
  }
  const digest = treeDigestOf(files);
  if (expected !== undefined) checkPin(showUrl(url), expected.digest, digest);
  return openTree({ resolved: { kind: "skill-file", url, digest }, files, diagnostics });
}

// A SKILL.md that refers to more files is not a single skill.
const MAX_REFERENCES = 200;
const ABSENT: readonly number[] = [404, 410];

function checkReferences(text: string, url: string): readonly string[] {
  const { paths, refused } = findReferences(text);
  if (refused === undefined && paths.length <= MAX_REFERENCES) return paths;
  const shown = showUrl(url);
  const reference = refused?.slice(0, 200);
  const fault =
    reference === undefined
      ? `more than ${MAX_REFERENCES} files`
      : `${quoteName(reference)}, which leads out of its folder`;
  const message = `${shown} refers to ${fault}; nothing is fetched. Install it from its repository or as an archive instead.`;
  const data = { url: shown, ...(reference !== undefined && { reference }) };
  throw new SkilletError("reference-refused", message, { data });
}

interface References {
  readonly paths: readonly string[];
  /** The first reference that leads out of the folder: if there is one, nothing may be fetched. */
  readonly refused?: string;
}

const FOLDERS = "references|templates|scripts|assets|examples";
const IN_FOLDER = new RegExp(`^(?:${FOLDERS})/`);
// Targets of links and link definitions, then paths in prose and code. All lengths are bounded, so that no
// text makes the patterns slow.
const INLINE_LINK = /\]\(\s{0,3}<?([^)\s<>]{1,1024})/g;
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]{0,8}<?([^\s<>]{1,1024})/gm;
const BARE_PATH = new RegExp(`(?<![\\w./#:-])(?:\\./)?((?:${FOLDERS})/[\\w./%-]{1,512})`, "g");

/** Files in the usual folders, wherever they are mentioned, and files beside SKILL.md that it links to. */
export function findReferences(text: string): References {
  const links = [...matches(text, INLINE_LINK), ...matches(text, DEFINITION)].map(pathOf);
  // A sentence may end after a path, and a path without an extension is usually prose.
  const bare = matches(text, BARE_PATH)
    .map((path) => pathOf(path.replace(/\.+$/, "")))
    .filter((path) => /\.\w+$/.test(path) || isClimbing(path));
  const found = new Map<string, string>();
  for (const path of [...links, ...bare]) {
    if (isClimbing(path)) return { paths: [], refused: path };
    const isBeside = !path.includes("/") && /\.\w+$/.test(path) && path.toLowerCase() !== "skill.md";
    if (!(isBeside || IN_FOLDER.test(path)) || checkEntryPath(path) !== undefined) continue;
    // If two spellings differ in case only, the first one wins.
    const folded = path.normalize("NFC").toLowerCase();
    if (!found.has(folded)) found.set(folded, path);
  }
  return { paths: [...found.values()].sort(compareByteOrder) };
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, path = ""]) => path);
}

/** The path of a reference; empty for URLs, anchors and absolute paths. */
function pathOf(reference: string): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(reference)) return "";
  const [path = ""] = reference.split(/[?#]/);
  return (decodeUri(path) ?? path).replace(/^(?:\.\/)+/, "");
}

function isClimbing(path: string): boolean {
  return path.split(/[/\\]/).includes("..");
}

import { type ArchiveEntry, type ArchiveFault, readTar, readZip } from "@skillet/kit/archive";
import { decodeEntities } from "../analyse/markdown/decode-entities.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import type { Contents } from "./contents.ts";

/** Opens a tar or a zip (also Office documents, wheels, jars and `.skill` files) and reads as much as it can. */
export function unpackArchive(inside: Contents, format: "tar" | "zip", budget: ScanBudget): void {
  const { bytes } = inside.file;
  const names = new Set<string>();
  for (const item of format === "zip" ? readZip(bytes) : readTar(bytes)) {
    if ("fault" in item) {
      noteFault(inside, item);
      continue;
    }
    const { path, kind } = item;
    const unsafe = unsafePath(path);
    if (unsafe !== undefined) inside.note("escaping-path", `${JSON.stringify(path)} has ${unsafe}`);
    if (kind === "folder" && format === "tar") continue;
    if (!budget.takeEntry()) {
      inside.leave(`more than ${budget.limits.maxArchiveEntries} members of archives`);
      break;
    }
    // In a tar the last of two members with one name wins, and both are read.
    if (format === "zip" && names.has(path)) inside.leave(`two members are called ${JSON.stringify(path)}`);
    names.add(path);
    const content = kind === "folder" ? undefined : readContent(inside, item, budget);
    if (content === undefined) continue;
    if (kind === "link") inside.add(path, content, "120000");
    else if (format === "tar") inside.add(path, content);
    else addMember(inside, path, content);
  }
}

// Members that are only unsafe to unpack are not reported: ordinary programs write such archives, and everything in them was read.
function noteFault(inside: Contents, { fault, reason, entry = "" }: ArchiveFault): void {
  const about = entry === "" ? reason : `${JSON.stringify(entry)}: ${reason}`;
  if (fault === "damaged") inside.leave(`the archive is damaged or cut short (${about})`);
  if (fault === "unlisted") inside.leave(reason);
  if (fault === "two-names") inside.note("magic-mismatch", about);
  if (fault !== "encrypted") return;
  inside.note("encrypted-archive", `${JSON.stringify(entry)} is encrypted`);
  inside.leave("members are encrypted");
}

function addMember(inside: Contents, name: string, bytes: Uint8Array): void {
  if (TEXT_PART.test(name)) {
    const text = markupText(Buffer.from(bytes).toString("utf8"));
    const field = ACTIVE_FIELD.exec(text)?.[0].slice(0, 120);
    if (field !== undefined) inside.note("active-document", `${name} runs a field: ${field}`);
    inside.add(name.replace(/\.xml$/, ".txt"), text);
  } else if (RELATIONSHIPS.test(name)) {
    for (const target of loadedTargets(bytes)) inside.note("active-document", `${name} loads ${target}`);
  } else if (!OFFICE_PLUMBING.test(name)) {
    if (MACRO.test(name)) inside.note("macro", `${name} holds macros`);
    inside.add(name, bytes);
  }
}

function readContent(inside: Contents, entry: ArchiveEntry, budget: ScanBudget): Uint8Array | undefined {
  const { bytes, fault, isBomb } = entry.read(budget.inflateLimit);
  if (bytes !== undefined) {
    if (budget.takeBytes(bytes.length)) return bytes;
    inside.leave("the archive holds more than may be unpacked");
    return undefined;
  }
  const detail = `${JSON.stringify(entry.path)}: ${fault}`;
  if (isBomb) inside.note("archive-bomb", detail);
  inside.leave(detail);
  return undefined;
}

/** Why a member would be unpacked outside of the target folder; undefined if it stays inside. */
function unsafePath(path: string): string | undefined {
  if (path.includes("\0")) return "a zero byte in its name";
  const plain = path.replaceAll("\\", "/");
  if (plain.startsWith("/") || /^[A-Za-z]:/.test(plain)) return "an absolute path";
  if (plain.split("/").includes("..")) return "a path that climbs out";
  return undefined;
}

const MACRO = /(?:^|\/)vba(?:Project|Data)\.(?:bin|xml)$|^Basic\/.+\.xml$|(?:^|\/)macrosheets\//i;
const TEXT_PART =
  /^(?:word\/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)|xl\/(?:sharedStrings|comments\d*|worksheets\/[^/]+)|ppt\/(?:slides|notesSlides|comments)\/[^/]+|docProps\/(?:core|app|custom)|content|meta)\.xml$/i;
const RELATIONSHIPS = /\.rels$/i;
// Fixed parts of the format that carry no content: styles, themes, fonts, settings.
const OFFICE_PLUMBING =
  /^(?:\[Content_Types\]\.xml|word\/(?:styles|settings|webSettings|fontTable|numbering|stylesWithEffects|theme\/[^/]+)\.xml|xl\/(?:styles|workbook|calcChain|theme\/[^/]+)\.xml|ppt\/(?:presentation|presProps|viewProps|tableStyles|theme\/[^/]+|slideLayouts\/[^/]+|slideMasters\/[^/]+)\.xml)$/i;
const ACTIVE_FIELD =
  /\bDDE(?:AUTO)?\s+["']?[\w:\\./]{2,}[^\n]{0,80}|\bINCLUDETEXT\s+["']?(?:https?:|\\\\)[^\n]{0,80}/;
const RELATIONSHIP = /<Relationship\b[^<>]{0,4000}>/gi;

// An external template, frame or object loads when the document is opened; a hyperlink needs a click.
function loadedTargets(bytes: Uint8Array): readonly string[] {
  return Array.from(Buffer.from(bytes).toString("utf8").matchAll(RELATIONSHIP), ([tag]) => tag)
    .filter((tag) => /TargetMode\s{0,3}=\s{0,3}["']External/i.test(tag))
    .filter((tag) => !/relationships\/hyperlink["']/i.test(tag))
    .slice(0, MAX_RELATIONSHIPS)
    .map((tag) => /\bTarget\s{0,3}=\s{0,3}["']([^"']{0,300})/i.exec(tag)?.[1] ?? "");
}

const MAX_RELATIONSHIPS = 20;

function markupText(markup: string): string {
  const text = decodeEntities(markup.replace(BREAKS, "\n").replace(TAGS, ""));
  return text.replace(/\n{3,}/g, "\n\n").trim();
}

const BREAKS =
  /<\/(?:w:p|a:p|text:p|text:h|si|row|c|p|h[1-6]|li|div|tr)>|<(?:w:br|w:cr|a:br|text:line-break|br)\b[^<>]{0,200}>/gi;
const TAGS = /<[^<>]*>/g;

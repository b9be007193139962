import { type ArchiveEntry, type ArchiveFault, readTar, readZip } from "@skillet/kit/archive";
import { decodeEntities } from "../analyse/markdown/decode-entities.ts";
import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { anomalyOf, memberOf, type Unpacked } from "./unpacked.ts";

/** Opens a tar, or a zip, which Office documents, wheels, jars and `.skill` files are too; reads as much as it can. */
export function unpackArchive(file: SkillFile, format: "tar" | "zip", budget: ScanBudget): Unpacked {
  const reader = new ArchiveReader(file, format, budget);
  for (const item of format === "zip" ? readZip(file.bytes) : readTar(file.bytes)) {
    if ("fault" in item) reader.takeFault(item);
    else if (!reader.takeEntry(item)) break;
  }
  return reader.result;
}

class ArchiveReader {
  readonly #file: SkillFile;
  readonly #format: "tar" | "zip";
  readonly #budget: ScanBudget;
  readonly #files: SkillFile[] = [];
  readonly #facts: Fact[] = [];
  readonly #unread = new Set<string>();
  readonly #names = new Set<string>();

  constructor(file: SkillFile, format: "tar" | "zip", budget: ScanBudget) {
    this.#file = file;
    this.#format = format;
    this.#budget = budget;
  }

  get result(): Unpacked {
    const unread = this.#unread.size === 0 ? {} : { unread: [...this.#unread].sort().join("; ") };
    return { files: this.#files, facts: this.#facts, ...unread };
  }

  // Members that are only unsafe to unpack are not reported: ordinary programs write such archives, and everything in them was read.
  takeFault({ fault, reason, entry = "" }: ArchiveFault): void {
    const about = entry === "" ? reason : `${JSON.stringify(entry)}: ${reason}`;
    if (fault === "damaged") this.#unread.add(`the archive is damaged or cut short (${about})`);
    if (fault === "unlisted") this.#unread.add(reason);
    if (fault === "two-names") this.#facts.push(anomalyOf(this.#file, "magic-mismatch", about));
    if (fault !== "encrypted") return;
    this.#facts.push(anomalyOf(this.#file, "encrypted-archive", `${JSON.stringify(entry)} is encrypted`));
    this.#unread.add("members are encrypted");
  }

  takeEntry(entry: ArchiveEntry): boolean {
    const { path, kind } = entry;
    const unsafe = unsafePath(path);
    if (unsafe !== undefined)
      this.#facts.push(anomalyOf(this.#file, "escaping-path", `${JSON.stringify(path)} has ${unsafe}`));
    if (kind === "folder" && this.#format === "tar") return true;
    if (!this.#budget.takeEntry()) {
      this.#unread.add(`more than ${this.#budget.limits.maxArchiveEntries} members of archives`);
      return false;
    }
    // Of a tar the last one counts, and all are read.
    if (this.#format === "zip" && this.#names.has(path))
      this.#unread.add(`two members are called ${JSON.stringify(path)}`);
    this.#names.add(path);
    if (kind === "folder") return true;
    const bytes = this.#contentOf(entry);
    if (bytes === undefined) return true;
    if (kind === "link") this.#files.push({ ...memberOf(this.#file, path, bytes), mode: "120000" });
    else if (this.#format === "tar") this.#files.push(memberOf(this.#file, path, bytes));
    else {
      const { members, facts } = readOfficeMember(this.#file, path, bytes);
      this.#facts.push(...facts);
      this.#files.push(...members);
    }
    return true;
  }

  #contentOf(entry: ArchiveEntry): Uint8Array | undefined {
    const { bytes, fault, isBomb } = entry.read(this.#budget.inflateLimit);
    if (bytes !== undefined) {
      if (this.#budget.takeBytes(bytes.length)) return bytes;
      this.#unread.add("the archive holds more than may be unpacked");
      return undefined;
    }
    const detail = `${JSON.stringify(entry.path)}: ${fault}`;
    if (isBomb) this.#facts.push(anomalyOf(this.#file, "archive-bomb", detail));
    this.#unread.add(detail);
    return undefined;
  }
}

/** Why a member would land outside the folder that an archive is unpacked into; undefined for one that stays inside. */
function unsafePath(path: string): string | undefined {
  if (path.includes("\0")) return "a zero byte in its name";
  const plain = path.replaceAll("\\", "/");
  if (plain.startsWith("/") || /^[A-Za-z]:/.test(plain)) return "an absolute path";
  if (plain.split("/").includes("..")) return "a path that climbs out";
  return undefined;
}

function readOfficeMember(
  file: SkillFile,
  name: string,
  bytes: Uint8Array,
): { readonly members: readonly SkillFile[]; readonly facts: readonly Fact[] } {
  if (MACRO.test(name)) {
    const macro = anomalyOf(file, "macro", `${name} holds macros`);
    return { members: [memberOf(file, name, bytes)], facts: [macro] };
  }
  if (TEXT_PART.test(name)) {
    const text = markupText(Buffer.from(bytes).toString("utf8"));
    const fields = ACTIVE_FIELD.exec(text);
    const facts =
      fields === null
        ? []
        : [anomalyOf(file, "active-document", `${name} runs a field: ${fields[0].slice(0, 120)}`)];
    return text.trim() === ""
      ? { members: [], facts }
      : { members: [memberOf(file, name.replace(/\.xml$/, ".txt"), Buffer.from(text))], facts };
  }
  if (RELATIONSHIPS.test(name)) return { members: [], facts: relationshipFacts(file, name, bytes) };
  if (OFFICE_PLUMBING.test(name)) return { members: [], facts: [] };
  return { members: [memberOf(file, name, bytes)], facts: [] };
}

const MACRO = /(?:^|\/)vba(?:Project|Data)\.(?:bin|xml)$|^Basic\/.+\.xml$|(?:^|\/)macrosheets\//i;
const TEXT_PART =
  /^(?:word\/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)|xl\/(?:sharedStrings|comments\d*|worksheets\/[^/]+)|ppt\/(?:slides|notesSlides|comments)\/[^/]+|docProps\/(?:core|app|custom)|content|meta)\.xml$/i;
const RELATIONSHIPS = /\.rels$/i;
// Fixed parts of the format that say nothing: styles, themes, fonts, settings.
const OFFICE_PLUMBING =
  /^(?:\[Content_Types\]\.xml|word\/(?:styles|settings|webSettings|fontTable|numbering|stylesWithEffects|theme\/[^/]+)\.xml|xl\/(?:styles|workbook|calcChain|theme\/[^/]+)\.xml|ppt\/(?:presentation|presProps|viewProps|tableStyles|theme\/[^/]+|slideLayouts\/[^/]+|slideMasters\/[^/]+)\.xml)$/i;
const ACTIVE_FIELD =
  /\bDDE(?:AUTO)?\s+["']?[\w:\\./]{2,}[^\n]{0,80}|\bINCLUDETEXT\s+["']?(?:https?:|\\\\)[^\n]{0,80}/;
const RELATIONSHIP = /<Relationship\b[^<>]{0,4000}>/gi;

// A template, frame or object from elsewhere is loaded when the document is opened; a hyperlink is only followed.
function relationshipFacts(file: SkillFile, name: string, bytes: Uint8Array): Fact[] {
  const facts: Fact[] = [];
  for (const [tag] of Buffer.from(bytes).toString("utf8").matchAll(RELATIONSHIP)) {
    if (!/TargetMode\s{0,3}=\s{0,3}["']External/i.test(tag) || /relationships\/hyperlink["']/i.test(tag))
      continue;
    const target = /\bTarget\s{0,3}=\s{0,3}["']([^"']{0,300})/i.exec(tag)?.[1] ?? "";
    facts.push(anomalyOf(file, "active-document", `${name} loads ${target}`));
    if (facts.length >= MAX_RELATIONSHIPS) break;
  }
  return facts;
}

const MAX_RELATIONSHIPS = 20;

function markupText(markup: string): string {
  const text = decodeEntities(markup.replace(BREAKS, "\n").replace(TAGS, ""));
  return text.replace(/\n{3,}/g, "\n\n").trim();
}

const BREAKS =
  /<\/(?:w:p|a:p|text:p|text:h|si|row|c|p|h[1-6]|li|div|tr)>|<(?:w:br|w:cr|a:br|text:line-break|br)\b[^<>]{0,200}>/gi;
const TAGS = /<[^<>]*>/g;

import { type ArchiveEntry, type ArchiveFault, readTar, readZip } from "@skillet/kit/archive";
import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { readOfficeMember } from "./read-office-member.ts";
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

  // What is only unsafe to unpack is not told: ordinary programs write such archives, and everything in them was read.
  takeFault({ fault, reason, entry = "" }: ArchiveFault): void {
    const about = entry === "" ? reason : `${JSON.stringify(entry)}: ${reason}`;
    if (fault === "damaged") this.#unread.add(`the archive is damaged or cut short (${about})`);
    if (fault === "unlisted") this.#unread.add(reason);
    if (fault === "two-names") this.#facts.push(anomalyOf(this.#file, "magic-mismatch", about));
    if (fault !== "encrypted") return;
    this.#facts.push(anomalyOf(this.#file, "encrypted-archive", `${JSON.stringify(entry)} is encrypted`));
    this.#unread.add("members are encrypted");
  }

  /** False when no more may be read. */
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

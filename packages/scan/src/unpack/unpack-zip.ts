import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { inflateBounded } from "./inflate-bounded.ts";
import { readOfficeMember } from "./read-office-member.ts";
import { anomalyOf, memberOf, type Unpacked } from "./unpacked.ts";
import { unsafeMemberName } from "./unsafe-member-name.ts";

/** Opens a zip archive, which Office documents, wheels, jars and `.skill` files are too. */
export async function unpackZip(file: SkillFile, budget: ScanBudget): Promise<Unpacked> {
  let zip: ZipFile;
  try {
    // Names stay raw: yauzl would refuse the whole archive for one that climbs out, and hide what else is in it.
    zip = await fromBufferPromise(asBuffer(file.bytes), { decodeStrings: false, validateEntrySizes: false });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { files: [], facts: [], unread: `the zip archive cannot be opened (${error.message})` };
  }
  const reader = new ZipReader(file, zip, budget);
  await reader.run();
  return reader.result;
}

class ZipReader {
  readonly #file: SkillFile;
  readonly #zip: ZipFile;
  readonly #budget: ScanBudget;
  readonly #files: SkillFile[] = [];
  readonly #facts: Fact[] = [];
  readonly #unread = new Set<string>();
  readonly #names = new Set<string>();
  readonly #ranges: { readonly start: number; readonly end: number }[] = [];

  constructor(file: SkillFile, zip: ZipFile, budget: ScanBudget) {
    this.#file = file;
    this.#zip = zip;
    this.#budget = budget;
  }

  get result(): Unpacked {
    const unread = this.#unread.size === 0 ? {} : { unread: [...this.#unread].sort().join("; ") };
    return { files: this.#files, facts: this.#facts, ...unread };
  }

  async run(): Promise<void> {
    try {
      for await (const entry of this.#zip.eachEntry()) {
        if (!this.#budget.takeEntry()) {
          this.#unread.add(`more than ${this.#budget.limits.maxArchiveEntries} members of archives`);
          return;
        }
        await this.#readEntry(entry);
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#unread.add(`the list of members is damaged (${error.message})`);
    }
    this.#lookForOthers();
  }

  async #readEntry(entry: Entry): Promise<void> {
    // With `decodeStrings: false` names come as bytes, whatever the types say.
    const name = Buffer.from(entry.fileNameRaw).toString("utf8");
    const unsafe = unsafeMemberName(name);
    if (unsafe !== undefined)
      this.#facts.push(anomalyOf(this.#file, "escaping-path", `${JSON.stringify(name)} has ${unsafe}`));
    if (this.#names.has(name)) this.#unread.add(`two members are called ${JSON.stringify(name)}`);
    this.#names.add(name);
    const header = await this.#zip.readLocalFileHeaderPromise(entry);
    const inner = header.fileName.toString("utf8");
    if (inner !== name)
      this.#facts.push(
        anomalyOf(
          this.#file,
          "magic-mismatch",
          `a member is listed as ${JSON.stringify(name)} and stored as ${JSON.stringify(inner)}`,
        ),
      );
    const end = header.fileDataStart + entry.compressedSize;
    this.#ranges.push({ start: entry.relativeOffsetOfLocalHeader, end });
    if (name.endsWith("/") && entry.compressedSize === 0) return;
    if (entry.isEncrypted() || (header.generalPurposeBitFlag & 1) === 1) {
      this.#facts.push(anomalyOf(this.#file, "encrypted-archive", `${JSON.stringify(name)} is encrypted`));
      this.#unread.add("members are encrypted");
      return;
    }
    this.#readData(entry, header.fileDataStart, name);
  }

  #readData(entry: Entry, start: number, name: string): void {
    const packed = this.#file.bytes.subarray(start, start + entry.compressedSize);
    const bytes = this.#open(entry, packed, name);
    if (bytes === undefined) return;
    const kind = (entry.externalFileAttributes >>> 16) & 0o170000;
    if (kind === 0o120000) {
      this.#files.push({ ...memberOf(this.#file, name, bytes), mode: "120000" });
      return;
    }
    const { members, facts } = readOfficeMember(this.#file, name, bytes);
    this.#facts.push(...facts);
    this.#files.push(...members);
  }

  #open(entry: Entry, packed: Uint8Array, name: string): Uint8Array | undefined {
    if (entry.compressionMethod === 0) {
      if (this.#budget.takeBytes(packed.length)) return packed;
      this.#unread.add("the archive holds more than may be unpacked");
      return undefined;
    }
    if (entry.compressionMethod !== 8) {
      this.#unread.add(`${JSON.stringify(name)} is compressed by method ${entry.compressionMethod}`);
      return undefined;
    }
    const inflated = inflateBounded(packed, "deflate", this.#budget);
    if ("bytes" in inflated) return inflated.bytes;
    if (inflated.isBomb)
      this.#facts.push(anomalyOf(this.#file, "archive-bomb", `${JSON.stringify(name)}: ${inflated.fault}`));
    this.#unread.add(`${JSON.stringify(name)}: ${inflated.fault}`);
    return undefined;
  }

  // Members that the list leaves out: other programs read an archive from its start and find them.
  #lookForOthers(): void {
    const bytes = asBuffer(this.#file.bytes);
    const ranges = this.#ranges.toSorted((left, right) => left.start - right.start);
    let next = 0;
    for (let at = bytes.indexOf(LOCAL_HEADER); at !== -1; at = bytes.indexOf(LOCAL_HEADER, at + 4)) {
      while (next < ranges.length && (ranges[next]?.end ?? 0) <= at) next++;
      const range = ranges[next];
      if (range !== undefined && at >= range.start) continue;
      this.#unread.add("it holds members that it does not list");
      return;
    }
  }
}

const LOCAL_HEADER = Buffer.from([0x50, 0x4b, 0x03, 0x04]);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

import { posix } from "node:path";
import { isCommandLine } from "../analyse/data/command-shape.ts";
import { type FileKind, isLanguage, kindByName, type SkillFile, suffixOf } from "../file/file-kind.ts";
import { decodeText, looksLikeText } from "../file/identify-file.ts";
import { magicOf } from "../file/magic.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { phrases } from "../word-list.ts";
import { Contents, embeddedWords, latin1, printableStrings } from "./contents.ts";
import { imageParts } from "./image-parts.ts";
import { readPdf } from "./read-pdf.ts";
import { unpackArchive } from "./unpack-archive.ts";

/** Looks inside a file of any kind: one layer of an archive, the words of a document, the strings of a program. Called for every file, because of names and appended bytes. */
export function unpackFile(file: SkillFile, kind: FileKind, budget: ScanBudget): Contents {
  const inside = new Contents(file);
  noteName(inside, kind);
  const format = magicOf(file.bytes)?.format;
  if (isLanguage(kind)) openText(inside, kind);
  else OPENERS[kind]?.(inside, { kind, format, budget });
  addMisnamedText(inside, kind);
  return inside;
}

interface Opening {
  readonly kind: FileKind;
  readonly format: string | undefined;
  readonly budget: ScanBudget;
}

const OPENERS: Partial<Readonly<Record<FileKind, (inside: Contents, opening: Opening) => void>>> = {
  archive: openArchive,
  office: openArchive,
  pdf: (inside, { budget }) => readPdf(inside, budget),
  image: openImage,
  // Sound, video and fonts contain titles, lyrics and licences, and bytes that a script may extract and run.
  media: (inside) => inside.add("metadata.txt", embeddedWords(inside.file.bytes, inside)),
  font: (inside) => inside.add("metadata.txt", embeddedWords(inside.file.bytes, inside)),
  executable: (inside, { format }) => {
    inside.note("executable", format ?? "only its name tells, not its bytes");
    inside.leave(`of this ${format ?? "program"} only the strings were read`);
    addStrings(inside);
  },
  bytecode: (inside, { format }) => readBytecode(inside, format ?? "compiled code"),
  shortcut: (inside) => {
    inside.note("shortcut", "a shortcut starts what it names");
    addStrings(inside);
  },
  link: noteTarget,
  binary: (inside, { format }) => {
    inside.leave(`${format ?? "an unknown format"} is not read`);
    addStrings(inside);
    addPickledCommands(inside);
  },
};

function openArchive(inside: Contents, { kind, format, budget }: Opening): void {
  const { path, bytes } = inside.file;
  const depth = path.split("!/").length - 1;
  if (depth > 0 && kind === "archive") inside.note("nested-archive", "an archive in an archive");
  if (!budget.allowsDepth(depth)) inside.leave(`archives nest deeper than ${budget.limits.maxDepth}`);
  else if (format === "zip" || format === "tar") unpackArchive(inside, format, budget);
  else if (format === "gzip") openGzip(inside, budget);
  else {
    addStrings(inside);
    const raw = latin1(bytes);
    // Word, Excel and PowerPoint before 2007, and installers: streams in sectors.
    const isCompound = format === "compound document";
    if (isCompound && /V\0B\0A\0|Attribut\0e VB_/.test(raw))
      inside.note("macro", "the document holds macros");
    if (isCompound) inside.leave("of this old Office format only the strings were read");
    else if (format !== "rtf") inside.leave(`${format ?? "this kind of"} archive is not opened`);
    else if (/\\objdata|\\objupdate|\\ddeauto/i.test(raw))
      inside.note("active-document", "the document embeds an object");
  }
}

function openGzip(inside: Contents, budget: ScanBudget): void {
  const inflated = budget.inflate(inside.file.bytes, "gzip");
  if ("bytes" in inflated) {
    const name = posix.basename(inside.file.path);
    const inner = name.replace(/\.tgz$/i, ".tar").replace(/\.gz$/i, "");
    inside.add(inner === name ? "content" : inner, inflated.bytes);
  } else {
    if (inflated.isBomb) inside.note("archive-bomb", inflated.fault);
    inside.leave(inflated.fault);
  }
}

function openImage(inside: Contents, { format = "" }: Opening): void {
  const { bytes } = inside.file;
  const { end, metadata } = imageParts(bytes, format, inside);
  // Two words, or a few letters of a script without spaces.
  if (/\p{L}{3,}\s+\p{L}{2,}|\p{Lo}{6,}/u.test(metadata)) inside.add("metadata.txt", metadata);
  const tail = bytes.subarray(end ?? bytes.length);
  if (tail.length <= MAX_PADDING_BYTES || tail.every((byte) => byte === 0)) return;
  const found = magicOf(tail)?.format ?? (looksLikeText(tail) ? "text" : undefined);
  if (found === undefined) return;
  inside.note("magic-mismatch", `${tail.length} bytes of ${found} follow the picture`);
  inside.add("appended", tail);
}

const MAX_PADDING_BYTES = 16;

function addStrings(inside: Contents): void {
  inside.add("strings.txt", printableStrings(inside.file.bytes, { minimum: 6, left: inside }));
}

/** Texts whose readers see something other than their characters. */
function openText(inside: Contents, kind: FileKind): void {
  const { bytes, path } = inside.file;
  if (bytes.includes(0)) openSelfExtracting(inside);
  const encoding = kind === "python" ? hidingEncoding(bytes) : undefined;
  if (encoding !== undefined) {
    const reason = `Python reads it as ${encoding}, which may be other code than stands here`;
    inside.note("magic-mismatch", reason);
    inside.leave(reason);
  }
  const suffix = suffixOf(path);
  if (/^(?:eml|mht|mhtml)$/.test(suffix))
    inside.add("message.txt", decodeQuotedPrintable(decodeText(bytes).text));
  if (!SHORTCUTS.has(suffix)) return;
  // Merely viewing its folder sends the user's password hash to the other machine.
  const target = OTHER_MACHINE.exec(latin1(bytes.subarray(0, MAX_SEARCHED_BYTES)))?.[0];
  if (target !== undefined) inside.note("shortcut", `it leads to another machine (${target})`);
}

const SHORTCUTS: ReadonlySet<string> = new Set(["url", "scf", "library-ms", "searchconnector-ms", "theme"]);
const OTHER_MACHINE = /(?:\\\\|file:\/\/)(?!localhost|\?)[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}/i;
const MAX_SEARCHED_BYTES = 1024 * 1024;

// A script with an appended archive, which it extracts itself.
function openSelfExtracting(inside: Contents): void {
  const { bytes } = inside.file;
  const at = latin1(bytes).search(APPENDED);
  if (at <= 0) return;
  const tail = bytes.subarray(at);
  inside.note("magic-mismatch", `${magicOf(tail)?.format ?? "an archive"} follows the text`);
  inside.add("appended", tail);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the signatures of zip, gzip, ELF and xz
const APPENDED = /PK\x03\x04|\x1f\x8b\x08|\x7fELF|\xfd7zXZ/;

// A document with another format's signature is still shown to a model as text, so it is read too.
function addMisnamedText(inside: Contents, kind: FileKind): void {
  const { path, bytes } = inside.file;
  const named = kindByName(path);
  if (named === undefined || !isLanguage(named) || isLanguage(kind) || kind === "link" || kind === "empty")
    return;
  const suffix = suffixOf(path);
  inside.add(
    suffix === "" ? "text" : `text.${suffix}`,
    printableStrings(bytes, { minimum: 4, left: inside }),
  );
}

function noteTarget(inside: Contents): void {
  const { path, bytes } = inside.file;
  const target = Buffer.from(bytes).toString("utf8").replaceAll("\\", "/");
  const member = path.slice(path.lastIndexOf("!/") === -1 ? 0 : path.lastIndexOf("!/") + 2);
  const isAbsolute = /^[/~]|^[A-Za-z]:/.test(target);
  const resolved = posix.normalize(posix.join(posix.dirname(member), target));
  if (isAbsolute || resolved === ".." || resolved.startsWith("../"))
    inside.note("escaping-path", `the link leads to ${target.slice(0, 200)}`);
}

/** The encoding that a Python file declares, if Python would then run code other than what a reader of UTF-8 sees. */
function hidingEncoding(bytes: Uint8Array): string | undefined {
  for (const line of latin1(bytes.subarray(0, MAX_HEAD_BYTES)).split(/\r\n?|\n/, 2)) {
    const name = /^[ \t\f]*#.{0,200}?coding[:=][ \t]{0,20}([-\w.]{1,40})/.exec(line)?.[1];
    if (name !== undefined) return PLAIN.test(name) ? undefined : name;
  }
  return undefined;
}

const MAX_HEAD_BYTES = 1_024;
/** These encode ASCII as itself: other letters may differ, code does not. */
const PLAIN =
  /^(?:utf[-_]?8(?:[-_]?sig)?|u8|(?:us[-_]?)?ascii|latin[-_]?[19]?|l1|iso[-_]?(?:8859|ir)[-_]?\d*[-_]?\d*|cp\d{3,4}|windows[-_]?\d{3,4}|mac[-_]?\w*|koi8[-_]?[rtu]|gb(?:k|2312|18030)|big5\w*|euc[-_]?\w*|shift[-_]?jis\w*|sjis)(?:[-_](?:unix|dos|mac))?$/i;

function addPickledCommands(inside: Contents): void {
  const { bytes } = inside.file;
  const isPickle = bytes[0] === 0x80 && (bytes[1] ?? 9) <= 5;
  if (!isPickle || !CALLED.test(latin1(bytes.subarray(0, MAX_SEARCHED_BYTES)))) return;
  // A string's length precedes it, and may be a printable character too.
  const commands = printableStrings(bytes, { minimum: 8, left: inside })
    .split("\n")
    .flatMap((text) => [text, text.slice(1)].find(isCommandLine) ?? []);
  inside.add("command.sh", commands.join("\n"));
}

/** A module and a function of it, with a few bytes of the format in between. */
const CALLED =
  /\b(?:os|posix|nt|subprocess|commands|pty)\b[^a-z]{1,16}(?:system|popen|Popen|call|check_call|check_output|run|spawn|exec[lv]?|getoutput)\b/;

/** A message as its reader sees it, if its parts are quoted-printable; otherwise empty. */
function decodeQuotedPrintable(message: string): string {
  if (!/^content-transfer-encoding:\s{0,8}quoted-printable/im.test(message)) return "";
  const bytes = message
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function noteName(inside: Contents, kind: FileKind): void {
  const { file } = inside;
  if (/[\u202a-\u202e\u2066-\u2069]/.test(file.path))
    inside.note("bidi-override", "the name has a direction control");
  const match = DOUBLE.exec(posix.basename(file.path));
  if (match !== null) inside.note("double-extension", `${match[1]} before ${match[2]}`);
  const mismatch = mismatchOf(file, kind);
  if (mismatch !== undefined) inside.note("magic-mismatch", mismatch);
}

// A suffix that users open, then one that runs. `index.html.js`, `data.json.py` and `a.txt.sh` are how tools name templates and outputs.
const DOUBLE =
  /\.(pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|mp[34]|zip|rtf|csv)[\s._]{0,200}\.(exe|scr|com|pif|bat|cmd|vbs|js|jse|hta|ps1|lnk|msi|jar|command|app|sh|py)$/i;

function mismatchOf(file: SkillFile, kind: FileKind): string | undefined {
  if (kind === "link" || kind === "empty") return undefined;
  const named = kindByName(file.path);
  if (named === undefined || named === kind) return undefined;
  const magic = magicOf(file.bytes);
  if (magic === undefined) {
    // A script named as an image: the name says picture, the bytes are text.
    const isPicture = named === "image" || named === "media" || named === "font" || named === "pdf";
    return isPicture && isLanguage(kind) && kind !== "text" && kind !== "svg" && kind !== "html"
      ? `the name says ${named}, the content is ${kind}`
      : undefined;
  }
  if (SAME_FAMILY.has(`${named} ${kind}`)) return undefined;
  return `the name says .${suffixOf(file.path)}, the bytes are ${magic.format}`;
}

const SAME_FAMILY: ReadonlySet<string> = new Set(
  phrases(`
    archive office, office archive, executable archive, archive executable, image media, media image,
    binary archive, binary office, executable office, executable bytecode, font image, image font,
    text office, text pdf, typescript media, pdf office, binary bytecode, binary executable
  `),
);

/** Reads the constants of compiled code. The code itself stays unread even beside its source, as nothing proves that they match. */
function readBytecode(inside: Contents, format: string): void {
  const { bytes } = inside.file;
  const isPython = format === "pyc";
  // Flag 1 without flag 2: Python runs it without ever comparing it to the source.
  const isUnchecked = isPython && bytes[4] === 1 && bytes[5] === 0 && bytes[6] === 0 && bytes[7] === 0;
  inside.note(
    "bytecode-without-source",
    isUnchecked ? "compiled Python that is never compared with its source" : `compiled code (${format})`,
  );
  inside.add(
    "strings.txt",
    isPython ? pythonConstants(bytes) : printableStrings(bytes, { minimum: 4, left: inside }),
  );
  inside.leave(`of this ${format} only the constants were read`);
}

const HEADER_BYTES = 16;
const SHORT = new Set([0x7a, 0x5a]);
const LONG = new Set([0x61, 0x41, 0x75, 0x73, 0x74]);

/** The strings that `marshal` wrote: a type byte (perhaps with the reference bit), a length of one or four bytes, the text. */
function pythonConstants(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: string[] = [];
  for (let offset = HEADER_BYTES; offset + 2 < buffer.length; ) {
    const type = (buffer[offset] ?? 0) & 0x7f;
    const isShort = SHORT.has(type);
    const start = offset + (isShort ? 2 : 5);
    let end = start;
    if (isShort) end += buffer[offset + 1] ?? 0;
    else if (LONG.has(type) && start < buffer.length) end += buffer.readUInt32LE(offset + 1);
    const isConstant = end > start && end <= buffer.length && isText(buffer, start, end);
    if (isConstant && end - start >= 3) found.push(buffer.toString("utf8", start, end));
    offset = isConstant ? end : offset + 1;
  }
  return found.join("\n");
}

/** Stops at the first byte that is not text, as any length may be claimed at every offset. */
function isText(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = buffer[at] ?? 0;
    if (byte === 127 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false;
  }
  return true;
}

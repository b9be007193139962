import { posix } from "node:path";
import { isCommandLine } from "../analyse/data/command-shape.ts";
import type { Fact } from "../fact/fact.ts";
import { decodeText } from "../file/decode-text.ts";
import { type FileKind, isLanguage } from "../file/file-kind.ts";
import { looksLikeText } from "../file/identify-file.ts";
import { kindByName, suffixOf } from "../file/kind-by-name.ts";
import { magicOf } from "../file/magic.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { phrases } from "../word-list.ts";
import { embeddedWords } from "./embedded-words.ts";
import { imageParts } from "./image-parts.ts";
import { MAX_STRINGS_CHARACTERS, printableStrings } from "./printable-strings.ts";
import { readBytecode } from "./read-bytecode.ts";
import { readPdf } from "./read-pdf.ts";
import { unpackArchive } from "./unpack-archive.ts";
import { anomalyOf, depthOf, memberOf, NOTHING, type Unpacked } from "./unpacked.ts";

/** Looks inside a file of any kind: one layer of an archive, the words of a document, the strings of a program. Called for every file, since names and appended bytes concern all. */
export function unpackFile(file: SkillFile, kind: FileKind, budget: ScanBudget): Unpacked {
  const facts: Fact[] = nameFacts(file, kind);
  const inside = openFile(file, kind, budget);
  const misnamed = misnamedText(file, kind);
  const files = misnamed === undefined ? inside.files : [...inside.files, misnamed];
  const unread = inside.unread ?? (files.some(isCut) ? CUT : undefined);
  return {
    files,
    facts: [...facts, ...inside.facts],
    ...(unread !== undefined && { unread }),
  };
}

const CUT = `of its strings the first ${MAX_STRINGS_CHARACTERS} characters were read`;

function isCut({ path, bytes }: SkillFile): boolean {
  return bytes.length >= MAX_STRINGS_CHARACTERS && STRINGS_MEMBER.test(path);
}

const STRINGS_MEMBER = /!\/(?:strings\.txt|text(?:\.[^/]{1,20})?)$/;

function openFile(file: SkillFile, kind: FileKind, budget: ScanBudget): Unpacked {
  switch (kind) {
    case "archive":
    case "office":
      return openArchive(file, kind, budget);
    case "pdf":
      return readPdf(file, budget);
    case "image":
      return openImage(file);
    case "media":
    case "font":
      return openMedia(file);
    case "executable":
      return openExecutable(file);
    case "bytecode":
      return readBytecode(file);
    case "shortcut":
      return {
        files: stringsOf(file),
        facts: [anomalyOf(file, "shortcut", "a shortcut starts what it names")],
      };
    case "link":
      return { files: [], facts: linkFacts(file) };
    case "binary":
      return {
        files: [...stringsOf(file), ...pickledCommands(file)],
        facts: [],
        unread: `${magicOf(file.bytes)?.format ?? "an unknown format"} is not read`,
      };
    default:
      return isLanguage(kind) ? openText(file, kind) : NOTHING;
  }
}

function openArchive(file: SkillFile, kind: FileKind, budget: ScanBudget): Unpacked {
  const format = magicOf(file.bytes)?.format;
  const depth = depthOf(file.path);
  const nested =
    depth > 0 && kind === "archive" ? [anomalyOf(file, "nested-archive", "an archive in an archive")] : [];
  if (!budget.allowsDepth(depth))
    return { files: [], facts: nested, unread: `archives nest deeper than ${budget.limits.maxDepth}` };
  const inside = openFormat(file, format, budget);
  return { ...inside, facts: [...nested, ...inside.facts] };
}

function openFormat(file: SkillFile, format: string | undefined, budget: ScanBudget): Unpacked {
  if (format === "zip" || format === "tar") return unpackArchive(file, format, budget);
  if (format === "gzip") return openGzip(file, budget);
  if (format === "compound document") return openCompound(file);
  if (format === "rtf") return { files: stringsOf(file), facts: rtfFacts(file) };
  return { files: stringsOf(file), facts: [], unread: `${format ?? "this kind of"} archive is not opened` };
}

function openGzip(file: SkillFile, budget: ScanBudget): Unpacked {
  const inflated = budget.inflate(file.bytes, "gzip");
  if ("bytes" in inflated) {
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    const inner = /\.tgz$/i.test(name) ? name.replace(/\.tgz$/i, ".tar") : name.replace(/\.gz$/i, "");
    return { files: [memberOf(file, inner === name ? "content" : inner, inflated.bytes)], facts: [] };
  }
  return {
    files: [],
    facts: inflated.isBomb ? [anomalyOf(file, "archive-bomb", inflated.fault)] : [],
    unread: inflated.fault,
  };
}

// Word, Excel and PowerPoint before 2007, and installers: streams in sectors, of which only the strings are read.
function openCompound(file: SkillFile): Unpacked {
  const raw = Buffer.from(file.bytes).toString("latin1");
  const hasMacros = raw.includes("V\0B\0A\0") || raw.includes("Attribut\0e VB_");
  return {
    files: stringsOf(file),
    facts: hasMacros ? [anomalyOf(file, "macro", "the document holds macros")] : [],
    unread: "of this old Office format only the strings were read",
  };
}

function rtfFacts(file: SkillFile): Fact[] {
  const raw = Buffer.from(file.bytes).toString("latin1");
  return /\\objdata|\\objupdate|\\ddeauto/i.test(raw)
    ? [anomalyOf(file, "active-document", "the document embeds an object")]
    : [];
}

function openImage(file: SkillFile): Unpacked {
  const format = magicOf(file.bytes)?.format ?? "";
  const { end, metadata, unread } = imageParts(file.bytes, format);
  const files: SkillFile[] = [];
  const facts: Fact[] = [];
  if (/[A-Za-z]{3,}\s+[A-Za-z]{2,}/.test(metadata))
    files.push(memberOf(file, "metadata.txt", Buffer.from(metadata)));
  const tail = end === undefined ? undefined : file.bytes.subarray(end);
  if (tail !== undefined && tail.length > MAX_PADDING_BYTES && tail.some((byte) => byte !== 0)) {
    const found = magicOf(tail);
    if (found !== undefined || looksLikeText(tail)) {
      facts.push(
        anomalyOf(
          file,
          "magic-mismatch",
          `${tail.length} bytes of ${found?.format ?? "text"} follow the picture`,
        ),
      );
      files.push(memberOf(file, "appended", tail));
    }
  }
  return { files, facts, ...(unread !== undefined && { unread }) };
}

const MAX_PADDING_BYTES = 16;

// Sound, films and typefaces hold titles, lyrics and licences, and bytes that a script may cut out and run.
function openMedia(file: SkillFile): Unpacked {
  const words = embeddedWords(file.bytes);
  return { files: words === "" ? [] : [memberOf(file, "metadata.txt", Buffer.from(words))], facts: [] };
}

function openExecutable(file: SkillFile): Unpacked {
  const format = magicOf(file.bytes)?.format ?? "program";
  return {
    files: stringsOf(file),
    facts: [anomalyOf(file, "executable", format)],
    unread: `of this ${format} only the strings were read`,
  };
}

function stringsOf(file: SkillFile): SkillFile[] {
  const text = printableStrings(file.bytes, { minimum: 6 });
  return text === "" ? [] : [memberOf(file, "strings.txt", Buffer.from(text))];
}

// Self-extracting scripts: text first, then an archive that the script cuts off itself.
function openText(file: SkillFile, kind: FileKind): Unpacked {
  if (!file.bytes.includes(0)) return openSpecialText(file, kind);
  const buffer = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
  for (const signature of APPENDED) {
    const at = buffer.indexOf(signature);
    if (at <= 0) continue;
    const tail = file.bytes.subarray(at);
    return {
      files: [memberOf(file, "appended", tail)],
      facts: [anomalyOf(file, "magic-mismatch", `${magicOf(tail)?.format ?? "an archive"} follows the text`)],
    };
  }
  return NOTHING;
}

/** Texts whose readers see something else than the characters that stand there. */
function openSpecialText(file: SkillFile, kind: FileKind): Unpacked {
  const encoding = kind === "python" ? hidingEncoding(file.bytes) : undefined;
  if (encoding !== undefined) {
    const reason = `Python reads it as ${encoding}, which may be other code than stands here`;
    return { files: [], facts: [anomalyOf(file, "magic-mismatch", reason)], unread: reason };
  }
  const suffix = suffixOf(file.path);
  if (suffix === "eml" || suffix === "mht" || suffix === "mhtml") {
    const message = decodeQuotedPrintable(decodeText(file.bytes).text);
    return message === undefined
      ? NOTHING
      : { files: [memberOf(file, "message.txt", Buffer.from(message))], facts: [] };
  }
  return { files: [], facts: shortcutFacts(file, suffix) };
}

const APPENDED: readonly Buffer[] = [
  Buffer.from([0x50, 0x4b, 0x03, 0x04]),
  Buffer.from([0x1f, 0x8b, 0x08]),
  Buffer.from([0x7f, 0x45, 0x4c, 0x46]),
  Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]),
];

// A document whose bytes begin like something else is still shown to a model as text: read its words too.
function misnamedText(file: SkillFile, kind: FileKind): SkillFile | undefined {
  const named = kindByName(file.path);
  if (named === undefined || !isLanguage(named) || isLanguage(kind) || kind === "link" || kind === "empty")
    return undefined;
  const text = printableStrings(file.bytes, { minimum: 4 });
  const suffix = suffixOf(file.path);
  return text === ""
    ? undefined
    : memberOf(file, suffix === "" ? "text" : `text.${suffix}`, Buffer.from(text));
}

function linkFacts(file: SkillFile): Fact[] {
  const target = Buffer.from(file.bytes).toString("utf8").replaceAll("\\", "/");
  const inside = file.path.slice(file.path.lastIndexOf("!/") === -1 ? 0 : file.path.lastIndexOf("!/") + 2);
  const isAbsolute = target.startsWith("/") || target.startsWith("~") || /^[A-Za-z]:/.test(target);
  const resolved = posix.normalize(posix.join(posix.dirname(inside), target));
  if (!isAbsolute && resolved !== ".." && !resolved.startsWith("../")) return [];
  return [anomalyOf(file, "escaping-path", `the link leads to ${target.slice(0, 200)}`)];
}

/** The target of a shortcut in text: one on another machine hands over the user's password hash when its folder is merely looked at. */
function shortcutFacts(file: SkillFile, suffix: string): Fact[] {
  if (!SHORTCUTS.has(suffix)) return [];
  const text = Buffer.from(file.bytes.subarray(0, MAX_BYTES)).toString("latin1");
  const target = OTHER_MACHINE.exec(text)?.[0];
  return target === undefined ? [] : [anomalyOf(file, "shortcut", `it leads to another machine (${target})`)];
}

const MAX_BYTES = 64 * 1024;
const SHORTCUTS: ReadonlySet<string> = new Set(["url", "scf", "library-ms", "searchconnector-ms", "theme"]);
const OTHER_MACHINE = /(?:\\\\|file:\/\/)(?!localhost|\?)[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}/i;

/** The encoding that a Python file declares, if Python would then run other code than the one a reader of UTF-8 sees. */
function hidingEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, MAX_HEAD_BYTES))
    .toString("latin1")
    .split(/\r\n?|\n/, 2);
  for (const line of head) {
    const name = /^[ \t\f]*#.{0,200}?coding[:=][ \t]{0,20}([-\w.]{1,40})/.exec(line)?.[1];
    if (name !== undefined) return PLAIN.test(name) ? undefined : name;
  }
  return undefined;
}

const MAX_HEAD_BYTES = 1_024;
/** ASCII is itself in these: letters outside of it differ, code does not. */
const PLAIN =
  /^(?:utf[-_]?8(?:[-_]?sig)?|u8|(?:us[-_]?)?ascii|latin[-_]?[19]?|l1|iso[-_]?(?:8859|ir)[-_]?\d*[-_]?\d*|cp\d{3,4}|windows[-_]?\d{3,4}|mac[-_]?\w*|koi8[-_]?[rtu]|gb(?:k|2312|18030)|big5\w*|euc[-_]?\w*|shift[-_]?jis\w*|sjis)(?:[-_](?:unix|dos|mac))?$/i;

function pickledCommands(file: SkillFile): SkillFile[] {
  const isPickle = file.bytes[0] === 0x80 && (file.bytes[1] ?? 9) <= 5;
  if (!isPickle) return [];
  const raw = Buffer.from(file.bytes.subarray(0, MAX_SEARCHED_BYTES)).toString("latin1");
  if (!CALLED.test(raw)) return [];
  const strings = printableStrings(file.bytes, { minimum: 8 }).split("\n");
  // A string is written with its length before it, which may be a printable character too.
  const commands = strings.flatMap((text) =>
    [text, text.slice(1)].filter((candidate) => isCommandLine(candidate)).slice(0, 1),
  );
  return commands.length === 0 ? [] : [memberOf(file, "command.sh", Buffer.from(commands.join("\n")))];
}

const MAX_SEARCHED_BYTES = 1024 * 1024;
/** A module and a function of it, a few bytes of the format between them. */
const CALLED =
  /\b(?:os|posix|nt|subprocess|commands|pty)\b[^a-z]{1,16}(?:system|popen|Popen|call|check_call|check_output|run|spawn|exec[lv]?|getoutput)\b/;

/** A message as its reader sees it, where its parts are written in quoted-printable; undefined where none is. */
function decodeQuotedPrintable(message: string): string | undefined {
  if (!/^content-transfer-encoding:\s{0,8}quoted-printable/im.test(message)) return undefined;
  const bytes = message
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function nameFacts(file: SkillFile, kind: FileKind): Fact[] {
  const facts: Fact[] = [];
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  if (/[\u202a-\u202e\u2066-\u2069]/.test(file.path))
    facts.push(anomalyOf(file, "bidi-override", "the name has a direction control"));
  const match = DOUBLE.exec(name);
  if (match !== null) facts.push(anomalyOf(file, "double-extension", `${match[1]} before ${match[2]}`));
  const mismatch = mismatchOf(file, kind);
  if (mismatch !== undefined) facts.push(anomalyOf(file, "magic-mismatch", mismatch));
  return facts;
}

// A suffix that people open, then one that runs. `index.html.js`, `data.json.py` and `a.txt.sh` are how tools name templates and outputs.
const DOUBLE =
  /\.(pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|mp[34]|zip|rtf|csv)[\s._]{0,200}\.(exe|scr|com|pif|bat|cmd|vbs|js|jse|hta|ps1|lnk|msi|jar|command|app|sh|py)$/i;

function mismatchOf(file: SkillFile, kind: FileKind): string | undefined {
  if (kind === "link" || kind === "empty") return undefined;
  const named = kindByName(file.path);
  if (named === undefined || named === kind) return undefined;
  const magic = magicOf(file.bytes);
  if (magic === undefined) {
    // An image that is a script: the name says picture, the bytes are text.
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

import type { Call, Program, QuietProgram, Shell } from "../model/call.ts";
import { nameOf, plainPath } from "../model/files.ts";
import { EMPTY, foreignSources, known, sourcesOf, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { type Column, words } from "../table/program-row.ts";
import { isShellName } from "../table/programs.ts";
import { Options } from "../table/split-options.ts";
import { wideTarget } from "./destroyers.ts";

const COPY_VALUED = words("-t -m -o -g -S --target-directory --mode --owner --group");

const copy: QuietProgram = (call, shell) => {
  const options = new Options(call.words, COPY_VALUED);
  const { operands } = options;
  const folder = options.get("-t --target-directory");
  const target = folder ?? operands.at(-1);
  const from = folder === undefined ? operands.slice(0, -1) : operands;
  if (target === undefined) return;
  const lost =
    target.text === "/dev/null" ? from.find(({ text }) => wideTarget(text) !== undefined) : undefined;
  if (lost !== undefined) shell.effect({ type: "destroy", what: "home", detail: call.detail });
  const isFolder = folder !== undefined || /(?:^|\/)(?:\.{0,2}|bin)$/.test(target.text) || from.length > 1;
  const prefix = target.text.replace(/\/$/, "");
  for (const path of from) {
    noteRenamed(path, target, shell);
    const content = shell.readFile(path);
    const to = isFolder ? { ...target, text: `${prefix}/${nameOf(path.text)}` } : target;
    // Only content that the script itself brought in is news in its new place.
    const isOwn = content.sources.every(({ type }) => type === "file");
    shell.writeFile(to, isOwn ? unknown(content.sources, "") : content, { append: false });
  }
};

// `cp /bin/bash helper`: the same program under another name.
function noteRenamed(from: Value, to: Value, shell: Shell): void {
  const program = /^\/(?:usr\/)?(?:local\/)?bin\/([\w.+-]{1,40})$/.exec(from.text)?.[1];
  if (program !== undefined && program !== nameOf(to.text)) shell.setAlias(plainPath(to.text), program);
}

const chmod: QuietProgram = ({ words, texts }, shell) => {
  const [mode = "", ...rest] = texts.filter((text) => !/^-[RvfcH]+$|^--/.test(text));
  const detail = `chmod ${mode} ${rest.join(" ")}`.slice(0, 200);
  if (/^[0-7]{3,4}$/.test(mode) ? /^[467][0-7]{3}$/.test(mode) : /^[ua]*\+[rwx]*s/.test(mode)) {
    const how = rest.some((path) => isInterpreter(path, shell)) ? "setuid-shell" : "setuid";
    shell.effect({ type: "privilege", how, detail });
  }
  if (/^0?777$/.test(mode))
    shell.effect({ type: "privilege", how: "open-mode", detail: detail.replace(/^chmod 0/, "chmod ") });
  if (OPENED.test(mode) && rest.some((path) => /^\/etc\/(?:g?shadow|passwd|sudoers)\b/.test(path)))
    shell.effect({ type: "privilege", how: "root-for-all", detail });
  const makesExecutable = /\+[rwst]*x/.test(mode) || /^0?[0-7]*[1357][0-7]{0,2}$/.test(mode);
  if (makesExecutable) for (const word of words) if (rest.includes(word.text)) markExecutable(word, shell);
};

// A user who may write to these files can become root.
const OPENED = /^0?[0-7]{2}[2367]$|^[ugoa]{0,4}[oa][ugoa]{0,4}[+=][rx]{0,2}w|^\+[rx]{0,2}w/;

function isInterpreter(path: string, shell: Shell): boolean {
  const name = nameOf(shell.aliases.get(plainPath(path)) ?? path);
  return isShellName(name) || /^(?:python|perl|ruby|node|php|find|vim?|awk|env)[\d.]{0,5}$/.test(name);
}

// A download is made executable to be run, even if this script does not run it.
function markExecutable(path: Value, shell: Shell): void {
  const content = path.text.includes("*") ? UNKNOWN : shell.readFile(path);
  const foreign = foreignSources(content);
  shell.flow(foreign, { type: "execute", how: "file", by: "chmod +x" });
}

const unpack: Program = (call, shell) => {
  const { program, words, texts } = call;
  const isTar = program === "tar" || program === "bsdtar";
  const isCreating = isTar
    ? texts.some(
        (text, index) => /^-?[a-zA-Z]*c[a-zA-Z]*$/.test(text) && (index === 0 || text.startsWith("-")),
      )
    : /^(?:zip|ar)$/.test(program) || (program.startsWith("7z") && texts[0] === "a");
  if (isCreating) return pack(call, isTar, shell);
  const options = new Options(words, isTar ? TAR_VALUED : UNZIP_VALUED);
  const archive = isTar
    ? (options.get("-f --file") ?? words.find(({ text }) => /\.t(?:ar|gz|bz|xz)/.test(text)))
    : options.operands.find(({ text }) => !/^[xel]$/.test(text));
  const { sources } = call.read(archive, shell);
  const folder = options.get("-C --directory -d")?.text ?? "";
  shell.files.unpack(folder, unknown(sources.filter(({ type }) => type === "network")));
  return unknown(sources);
};

const TAR_VALUED = words("-f -C -X -T --file --directory --exclude");
const UNZIP_VALUED = words("-d -P -x -o -C --file --directory --exclude");

function pack(call: Call, isTar: boolean, shell: Shell): Value {
  const { words, texts, input } = call;
  const operands = words.filter(
    ({ text }, index) =>
      (text === "-" || !text.startsWith("-")) &&
      !(index === 0 && /^[a-zA-Z]{1,6}$/.test(text)) &&
      !/^-(?:P|C|x|i)$/.test(texts[index - 1] ?? ""),
  );
  const archive = isTar ? call.after(/^-?[a-z]*f$/i)[0] : operands[0];
  const prints = archive === undefined || archive.text === "-";
  // Files packed into an archive are not shown to a reader.
  const by = prints ? undefined : `${call.program} -f`;
  const members = shell.inSubshell(
    () => operands.filter((path) => path !== archive).map((path) => shell.readFile(path, by)),
    call.after(/^-C$/)[0],
  );
  const content = unknown(sourcesOf(input === undefined ? members : [...members, input]));
  if (prints) return content;
  shell.writeFile(archive, content, { append: false });
  return EMPTY;
}

const link: QuietProgram = ({ words }, shell) => {
  const [from, to] = new Options(words).operands;
  if (from === undefined || to === undefined) return;
  noteRenamed(from, to, shell);
  shell.writeFile(to, shell.readFile(from), { append: false });
};

/** `steghide embed -ef secret -cf picture`: from then on the picture contains the secret. */
const hide: QuietProgram = (call, shell) => {
  const options = new Options(call.words, HIDING_VALUED);
  const secret = options.get("-f -ef --embedfile -mf --messagefile -d --data");
  const cover = options.get("-sf --stegofile -cf --coverfile") ?? options.operands.at(-1);
  if (secret === undefined || cover === undefined) return;
  shell.writeFile(cover, unknown(call.read(secret, shell).sources), { append: true });
};

// These programs use one dash for options of several letters.
const HIDING_VALUED = words(
  "-f -ef -cf -sf -mf -p -d -k --embedfile --coverfile --stegofile --messagefile --passphrase --data --key",
);

/** `exiftool -Comment="$(cat secret)" picture`: the value of a tag is hidden in the picture. */
const tag: Program = (call, shell) => {
  const given = call.words.filter(({ text }) => /^-[\w:]{1,60}[-+]?<?=/.test(text));
  const carried = given.map((word) => {
    const path = /^-[\w:]{1,60}[-+]?<=(.{1,400})$/.exec(word.text)?.[1];
    return path === undefined ? word : shell.readFile(known(path));
  });
  return writeInto(call.operands, carried, shell);
};

function writeInto(pictures: readonly Value[], carried: readonly Value[], shell: Shell): Value {
  const sources = sourcesOf(carried);
  if (sources.length > 0)
    for (const picture of pictures) shell.writeFile(picture, unknown(sources), { append: true });
  return EMPTY;
}

/** `convert in.png -set comment "$(cat secret)" out.png`. */
const draw: Program = ({ words, texts }, shell) => {
  const given = words.filter(
    (_word, index) =>
      /^(?:-set|-comment|-label|-annotate)$/.test(texts[index - 2] ?? "") ||
      /^-(?:comment|label)$/.test(texts[index - 1] ?? ""),
  );
  return writeInto(words.slice(-1), given, shell);
};

const captures =
  (what: "screen" | "microphone" | "camera"): Program =>
  ({ texts }, shell) => {
    const file = texts.findLast((text) => /\.\w{2,4}$/.test(text));
    const captured = unknown([{ type: "capture", what }]);
    if (file === undefined) return captured;
    shell.writeFile(known(file), captured, { append: false });
    return EMPTY;
  };

export const FILE_TOOLS: Column<Program | QuietProgram> = {
  "cp mv install ditto copy move xcopy": copy,
  chmod,
  "tar bsdtar unzip 7z 7za 7zz unrar zip ar expand-archive gtar": unpack,
  ln: link,
  mktemp: (call) => known(call.has(/^-\w*d/) ? "/tmp/made-folder" : "/tmp/made-file"),
  "steghide stegsnow openstego outguess stegosuite": hide,
  exiftool: tag,
  "convert magick mogrify": draw,
  "screencapture scrot gnome-screenshot grim maim": captures("screen"),
  "imagesnap fswebcam": captures("camera"),
  "arecord rec": captures("microphone"),
};

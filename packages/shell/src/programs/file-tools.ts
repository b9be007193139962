import type { Call, Program, Shell } from "../model/call.ts";
import { named } from "../model/call.ts";
import { nameOf, plainPath } from "../model/files.ts";
import { EMPTY, foreignSources, known, sourcesOf, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { isShellName } from "../table/programs.ts";
import { optionOf, readOptions } from "../table/split-options.ts";

const copy: Program = ({ words }, shell) => {
  const options = readOptions(words, {
    short: "tmogS",
    long: new Set(["--target-directory", "--mode", "--owner", "--group"]),
  });
  const folder = optionOf(options, "-t", "--target-directory");
  const target = folder ?? options.operands.at(-1);
  const from = folder === undefined ? options.operands.slice(0, -1) : options.operands;
  if (target === undefined) return EMPTY;
  for (const path of from) {
    noteRenamed(path, target, shell);
    const content = shell.readFile(path);
    const isFolder =
      folder !== undefined || target.text.endsWith("/") || /\/bin$/.test(target.text) || from.length > 1;
    const to = isFolder
      ? { ...target, text: `${target.text.replace(/\/$/, "")}/${nameOf(path.text)}` }
      : target;
    // Only what the script itself brought is news at its new place.
    const isOwn = content.sources.every(({ type }) => type === "file");
    shell.writeFile(to, isOwn ? unknown(content.sources, "") : content, { append: false });
  }
  return EMPTY;
};

// `cp /bin/bash helper`: the program is the same under another name.
function noteRenamed(from: Value, to: Value, shell: Shell): void {
  const program = /^\/(?:usr\/)?(?:local\/)?bin\/([\w.+-]{1,40})$/.exec(from.text)?.[1];
  if (program !== undefined && program !== nameOf(to.text)) shell.setAlias(plainPath(to.text), program);
}

const chmod: Program = ({ words, texts }, shell) => {
  const [mode = "", ...rest] = texts.filter((text) => !/^-[RvfcH]+$|^--/.test(text));
  const paths = words.filter(({ text }) => rest.includes(text));
  if (/^[0-7]{3,4}$/.test(mode) ? /^[467][0-7]{3}$/.test(mode) : /^[ua]*\+[rwx]*s/.test(mode))
    shell.effect({
      type: "privilege",
      how: rest.some((path) => isInterpreter(path, shell)) ? "setuid-shell" : "setuid",
      detail: `chmod ${mode} ${rest.join(" ")}`.slice(0, 200),
    });
  if (/^0?777$/.test(mode))
    shell.effect({
      type: "privilege",
      how: "open-mode",
      detail: `chmod 777 ${rest.join(" ")}`.slice(0, 200),
    });
  if (OPENED.test(mode) && rest.some((path) => /^\/etc\/(?:g?shadow|passwd|sudoers)\b/.test(path)))
    shell.effect({
      type: "privilege",
      how: "root-for-all",
      detail: `chmod ${mode} ${rest.join(" ")}`.slice(0, 200),
    });
  const makesExecutable = /\+[rwst]*x/.test(mode) || /^0?[0-7]*[1357][0-7]{0,2}$/.test(mode);
  if (makesExecutable) for (const path of paths) markExecutable(path, shell);
  return EMPTY;
};

// A user who may write these files can become root.
const OPENED = /^0?[0-7]{2}[2367]$|^[ugoa]{0,4}[oa][ugoa]{0,4}[+=][rx]{0,2}w|^\+[rx]{0,2}w/;

function isInterpreter(path: string, shell: Shell): boolean {
  const name = nameOf(shell.alias(plainPath(path)) ?? path);
  return isShellName(name) || /^(?:python|perl|ruby|node|php|find|vim?|awk|env)[\d.]{0,5}$/.test(name);
}

// A download that is made executable is there to be run, even if this script does not run it.
function markExecutable(path: Value, shell: Shell): void {
  const content = path.text.includes("*") ? UNKNOWN : shell.readFile(path);
  const foreign = foreignSources(content);
  shell.flow(foreign, { type: "execute", how: "file", by: "chmod +x" });
}

const unpack: Program = (call: Call, shell) => {
  const { program, words, texts, input } = call;
  const options = readOptions(words, {
    short: program === "tar" || program === "bsdtar" ? "fCXT" : "dPxo",
    long: new Set(["--file", "--directory", "-C", "--exclude"]),
  });
  const isTar = program === "tar" || program === "bsdtar";
  const isCreating = isTar
    ? texts.some(
        (text, index) =>
          /^-?[a-zA-Z]*c[a-zA-Z]*$/.test(text) &&
          (index === 0 || text.startsWith("-")) &&
          !text.startsWith("--"),
      )
    : /^(?:zip|ar)$/.test(program) || (program.startsWith("7z") && texts[0] === "a");
  if (isCreating) return create(call, shell);
  const archive = isTar
    ? (optionOf(options, "-f", "--file") ?? words.find(({ text }) => /\.t(?:ar|gz|bz|xz)/.test(text)))
    : options.operands.find(({ text }) => !/^[xel]$/.test(text));
  const content =
    archive === undefined || archive.text === "-" ? (input ?? UNKNOWN) : shell.readFile(archive);
  const folder = optionOf(options, "-C", "--directory", "-d")?.text ?? "";
  const foreign = content.sources.filter(({ type }) => type === "network");
  shell.unpack(folder, unknown(foreign));
  return unknown(content.sources);
};

function create({ program, words, texts, input }: Call, shell: Shell): Value {
  const tarFile = words.find((_word, index) => /^-?[a-z]*f$/i.test(texts[index - 1] ?? ""));
  const operands = words.filter(
    ({ text }, index) =>
      !text.startsWith("-") &&
      !(index === 0 && /^[a-zA-Z]{1,6}$/.test(text)) &&
      !/^-(?:P|C|x|i)$/.test(texts[index - 1] ?? ""),
  );
  const archive = program === "tar" || program === "bsdtar" ? tarFile : operands[0];
  const members = operands.filter((path) => path !== archive);
  const sources = sourcesOf([
    ...members.map((path) => shell.readFile(path)),
    ...(input === undefined ? [] : [input]),
  ]);
  const content = unknown(sources);
  if (archive === undefined || archive.text === "-") return content;
  shell.writeFile(archive, content, { append: false });
  return EMPTY;
}

const link: Program = ({ words }, shell) => {
  const { operands } = readOptions(words);
  const [from, to] = operands;
  if (from === undefined || to === undefined) return EMPTY;
  noteRenamed(from, to, shell);
  shell.writeFile(to, shell.readFile(from), { append: false });
  return EMPTY;
};

const makeTemporary: Program = ({ texts }) => {
  const isFolder = texts.some((text) => /^-\w*d/.test(text));
  return known(isFolder ? "/tmp/made-folder" : "/tmp/made-file");
};

export const FILE_TOOLS: readonly (readonly [string, Program])[] = [
  ...named("cp mv install ditto copy move xcopy", copy),
  ["chmod", chmod],
  ...named("tar bsdtar unzip 7z 7za 7zz unrar zip ar expand-archive gtar", unpack),
  ["ln", link],
  ["mktemp", makeTemporary],
];

/** `steghide embed -ef secret -cf picture`: the picture carries the secret from then on. */
const hide: Program = ({ words, input }, shell) => {
  const options = readOptions(words, { long: VALUED });
  const secret = optionOf(options, "-f", "-ef", "--embedfile", "-mf", "--messagefile", "-d", "--data");
  const cover =
    optionOf(options, "-sf", "--stegofile") ??
    optionOf(options, "-cf", "--coverfile") ??
    options.operands.at(-1);
  if (secret === undefined || cover === undefined) return EMPTY;
  const hidden = secret.text === "-" ? input : shell.readFile(secret);
  shell.writeFile(cover, unknown(hidden?.sources ?? []), { append: true });
  return EMPTY;
};

// These programs write options of several letters with one dash.
const VALUED: ReadonlySet<string> = new Set([
  ...["-f", "-ef", "-cf", "-sf", "-mf", "-p", "-d", "-k"],
  ...["--embedfile", "--coverfile", "--stegofile", "--messagefile", "--passphrase", "--data", "--key"],
]);

/** `exiftool -Comment="$(cat secret)" picture`: the value of a tag is hidden in the picture. */
const tag: Program = ({ words }, shell) => {
  const given = words.filter(({ text }) => /^-[\w:]{1,60}[-+]?<?=/.test(text));
  const carried = given.map((word) => {
    const path = /^-[\w:]{1,60}[-+]?<=(.{1,400})$/.exec(word.text)?.[1];
    return path === undefined ? word : shell.readFile(known(path));
  });
  const sources = sourcesOf(carried);
  if (sources.length === 0) return EMPTY;
  for (const picture of words.filter(({ text }) => !text.startsWith("-")))
    shell.writeFile(picture, unknown(sources), { append: true });
  return EMPTY;
};

/** `convert in.png -set comment "$(cat secret)" out.png`. */
const draw: Program = ({ words, texts }, shell) => {
  const given = words.filter(
    (_word, index) =>
      /^(?:-set|-comment|-label|-annotate)$/.test(texts[index - 2] ?? "") ||
      /^-(?:comment|label)$/.test(texts[index - 1] ?? ""),
  );
  const sources = sourcesOf(given);
  const picture = words.at(-1);
  if (sources.length > 0 && picture !== undefined)
    shell.writeFile(picture, unknown(sources), { append: true });
  return EMPTY;
};

/** Programs that put data into pictures and sounds. */
export const HIDING_TOOLS: readonly (readonly [string, Program])[] = [
  ...named("steghide stegsnow openstego outguess stegosuite", hide),
  ["exiftool", tag],
  ...named("convert magick mogrify", draw),
];

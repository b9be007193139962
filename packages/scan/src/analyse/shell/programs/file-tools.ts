import { isShellName } from "../note-remote-shell.ts";
import { optionOf, readOptions } from "../read-options.ts";
import type { Call, Program, Shell } from "../shell-call.ts";
import { nameOf, plainPath } from "../shell-files.ts";
import { EMPTY, known, sourcesOf, UNKNOWN, unknown, type Value } from "../value.ts";

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
    shell.act({
      type: "privilege",
      how: rest.some((path) => isInterpreter(path, shell)) ? "setuid-shell" : "setuid",
      detail: `chmod ${mode} ${rest.join(" ")}`.slice(0, 200),
    });
  if (/^0?777$/.test(mode))
    shell.act({ type: "privilege", how: "open-mode", detail: `chmod 777 ${rest.join(" ")}`.slice(0, 200) });
  if (OPENED.test(mode) && rest.some((path) => /^\/etc\/(?:g?shadow|passwd|sudoers)\b/.test(path)))
    shell.act({
      type: "privilege",
      how: "root-for-all",
      detail: `chmod ${mode} ${rest.join(" ")}`.slice(0, 200),
    });
  const makesExecutable = /\+[rwst]*x/.test(mode) || /^0?[0-7]*[1357][0-7]{0,2}$/.test(mode);
  if (makesExecutable) for (const path of paths) markExecutable(path, shell);
  return EMPTY;
};

// Whoever may write who is root, is.
const OPENED = /^0?[0-7]{2}[2367]$|^[ugoa]{0,4}[oa][ugoa]{0,4}[+=][rx]{0,2}w|^\+[rx]{0,2}w/;

function isInterpreter(path: string, shell: Shell): boolean {
  const name = nameOf(shell.alias(plainPath(path)) ?? path);
  return isShellName(name) || /^(?:python|perl|ruby|node|php|find|vim?|awk|env)[\d.]{0,5}$/.test(name);
}

// What was fetched and made executable is there to be run, whoever runs it.
function markExecutable(path: Value, shell: Shell): void {
  const content = path.text.includes("*") ? UNKNOWN : shell.readFile(path);
  const foreign = content.sources.filter(({ type }) => type === "network" || type === "decoded");
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

/** Programs that move files about. */
export const FILE_TOOLS: readonly (readonly [string, Program])[] = [
  ...["cp", "mv", "install", "ditto", "copy", "move", "xcopy"].map((name) => [name, copy] as const),
  ["chmod", chmod],
  ...["tar", "bsdtar", "unzip", "7z", "7za", "7zz", "unrar", "zip", "ar", "expand-archive", "gtar"].map(
    (name) => [name, unpack] as const,
  ),
  ["ln", link],
  ["mktemp", makeTemporary],
];

import type { ProgramTraits } from "./program-traits.ts";

const COMPRESS = ["use-compress-program", "compress-program"];
// A pipe, a file, a command or a function that runs one, in the text of an awk program.
const AWK: ProgramTraits = {
  long: ["file", "include", "load", "exec", "source", "dump-variables", "debug", "pretty-print", "profile"],
  short: "filEeoDdpW",
  pattern: /system|getline|[|>@]|close|fflush/,
};

/** Programs that read, search and pack files. */
export const FILE_PROGRAMS: Readonly<Record<string, ProgramTraits>> = {
  awk: AWK,
  mawk: AWK,
  nawk: AWK,
  sed: {
    operands: {
      flags: /^(?:-[nErsuz]+|--quiet|--regexp-extended|--)$/,
      // Only scripts of one plain command: `e` runs and `w` writes, and they hide in flags, addresses and groups.
      first:
        /^(?:(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?[pdq=]|\/[\w .-]+\/[pd]|s([/|#,:])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*)$/,
    },
  },
  find: {
    words: ["-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"],
  },
  fd: { long: ["exec", "exec-batch"], short: "xX" },
  fdfind: { long: ["exec", "exec-batch"], short: "xX" },
  rg: { long: ["pre", "pre-glob", "hostname-bin"] },
  ack: { long: ["pager", "ackrc", "output"] },
  ag: { long: ["pager"] },
  bat: { long: ["pager"] },
  sort: { long: ["output", ...COMPRESS, "files0-from", "temporary-directory"], short: "oT" },
  shuf: { long: ["output"], short: "o" },
  tree: { short: "oR" },
  split: { long: ["filter"] },
  // The second operand is written.
  uniq: { operands: { flags: /^-(?:[cdDiuz]+|[fsw]\d+)$/, most: 1 } },
  tar: {
    long: [
      "to-command",
      "checkpoint-action",
      ...COMPRESS,
      "rsh-command",
      "rmt-command",
      "info-script",
      "new-volume-script",
      "absolute-names",
      "index-file",
    ],
    short: "IFP",
    // `host:file` starts a remote shell, and options may come without a dash.
    pattern: /^[^/-]+:|^[A-Za-z]*[IFP][A-Za-z]*$/,
  },
  bsdtar: { long: COMPRESS, short: "P" },
  cpio: { long: ["rsh-command", "file"], short: "IOFE" },
  zip: { long: ["unzip-command", "test"], short: "TO" },
  rsync: {
    long: ["rsh", "rsync-path", "daemon", "remote-option", "log-file", "write-batch", "files-from", "config"],
    short: "eM",
  },
  patch: { long: ["output", "reject-file", "get"], short: "org" },
  man: {
    long: ["pager", "html", "preprocessor", "config-file", "browser", "troff-device"],
    short: "PHpC",
  },
  xmllint: { words: ["-shell", "-output", "-o"] },
  yq: { long: ["inplace", "in-place", "split-exp"], short: "is" },
  pandoc: {
    long: [
      "filter",
      "lua-filter",
      "pdf-engine",
      "pdf-engine-opt",
      "output",
      "extract-media",
      "log",
      "defaults",
      "data-dir",
      "template",
      "to",
      "from",
      "write",
      "read",
    ],
    short: "FLodtwfr",
  },
};

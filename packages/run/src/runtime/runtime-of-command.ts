/** How an interpreter is called that a first line names. */
export interface CommandRuntime {
  /** For records, and for the list of its allowed flags. */
  readonly name: string;
  /** The programs to look for. */
  readonly interpreters: (command: string) => readonly string[];
  /** What stands before the flags of the first line. */
  readonly flags: (network: "granted" | "none") => readonly string[];
  /** What stands between them and the script. */
  readonly lastFlags: readonly string[];
  /** The flags among the words of the first line; nothing when the words make no sense. */
  readonly readWords: (words: readonly string[]) => readonly string[] | undefined;
  readonly separator?: "--";
  /** The less common ones only where their author marked them as programs. */
  readonly needsExecutable: boolean;
  /** See RuntimeCandidate. */
  readonly onlyIn?: "skill";
  /** It looks for a first line itself, where no system would, and obeys it. */
  readonly readsFirstLine?: true;
}

/** What deno always gets: no questions, and nothing from the network unless there is a grant. */
export function denoDefaults(network: "granted" | "none"): readonly string[] {
  return ["run", "--no-prompt", ...(network === "none" ? ["--no-remote", "--no-npm"] : [])];
}

/** What bun always gets: it would fetch packages that are missing by itself. */
export function bunDefaults(network: "granted" | "none"): readonly string[] {
  return ["run", ...(network === "none" ? ["--no-install"] : [])];
}

const PLAIN: Omit<CommandRuntime, "name"> = {
  interpreters: (command) => [command],
  flags: () => [],
  lastFlags: [],
  readWords: withoutDash,
  needsExecutable: false,
};

const COMMANDS: readonly (readonly [pattern: RegExp, runtime: CommandRuntime])[] = [
  [/^bash$/, { ...PLAIN, name: "bash" }],
  [
    /^(?:sh|dash|ash)$/,
    { ...PLAIN, name: "sh", interpreters: (command) => (command === "ash" ? ["sh"] : [command]) },
  ],
  [/^python(?:3(?:\.\d{1,2})?)?$/, { ...PLAIN, name: "python", interpreters: pythonsFor }],
  [/^node(?:js)?$/, { ...PLAIN, name: "node", interpreters: () => ["node"] }],
  [/^deno$/, { ...PLAIN, name: "deno", flags: denoDefaults, readWords: withoutRun }],
  // bunfig.toml preloads code, .env sets variables, and tsconfig.json makes another file of the script, even where flags
  // name other files.
  [/^bun$/, { ...PLAIN, name: "bun", flags: bunDefaults, readWords: withoutRun, onlyIn: "skill" }],
  [/^ruby$/, { ...PLAIN, name: "ruby", readsFirstLine: true }],
  [/^perl5?$/, { ...PLAIN, name: "perl", interpreters: () => ["perl"], readsFirstLine: true }],
  // Their start files would run before the script: those of a workspace (R) or of the machine (zsh, fish).
  [/^zsh$/, { ...PLAIN, name: "zsh", flags: () => ["-f"], needsExecutable: true }],
  [/^fish$/, { ...PLAIN, name: "fish", flags: () => ["--no-config"], needsExecutable: true }],
  [/^Rscript$/, { ...PLAIN, name: "Rscript", flags: () => ["--vanilla"], needsExecutable: true }],
  [/^(?:ksh|ksh93|mksh)$/, { ...PLAIN, name: "ksh", needsExecutable: true }],
  // They look for modules in the working directory first.
  [/^(?:lua(?:5\.\d)?|luajit)$/, { ...PLAIN, name: "lua", needsExecutable: true, onlyIn: "skill" }],
  [/^php(?:\d\.\d)?$/, { ...PLAIN, name: "php", needsExecutable: true, onlyIn: "skill" }],
  [/^tclsh(?:8\.\d)?$/, { ...PLAIN, name: "tclsh", needsExecutable: true }],
  // awk goes on reading flags behind the script's name, and `-f` there would be another program.
  [
    /^(?:awk|gawk|mawk)$/,
    { ...PLAIN, name: "awk", readWords: onlyFile, lastFlags: ["-f"], separator: "--", needsExecutable: true },
  ],
];

/**
 * The runtime behind a command of a first line; nothing when it is not let run.
 *
 * Not among them: sed, jq and make, which take their arguments for flags and further programs, and whatever drives other
 * programs, such as expect and osascript.
 */
export function runtimeOfCommand(command: string): CommandRuntime | undefined {
  return COMMANDS.find(([pattern]) => pattern.test(command))?.[1];
}

function pythonsFor(command: string): readonly string[] {
  return command === "python" ? ["python3", "python"] : [command];
}

// `#!/bin/sh -` and `--` end the flags, to keep a script's own name from being taken for one.
function withoutDash(words: readonly string[]): readonly string[] {
  const last = words.at(-1);
  return last === "-" || last === "--" ? words.slice(0, -1) : words;
}

function withoutRun(words: readonly string[]): readonly string[] {
  return words[0] === "run" ? words.slice(1) : words;
}

function onlyFile(words: readonly string[]): readonly string[] | undefined {
  return words.length === 1 && words[0] === "-f" ? [] : undefined;
}

import type { Call, Program, QuietProgram, Shell } from "../model/call.ts";
import { EMPTY, known, UNKNOWN, type Value } from "../model/value.ts";
import { byName, type Column, words } from "../table/program-row.ts";
import { findRow } from "../table/programs.ts";
import { Options } from "../table/split-options.ts";
import { splitStart, startInner } from "./starters.ts";

type Manager = readonly [verbs: RegExp, index?: string];

const MANAGERS: Column<Manager> = {
  "pip pip3": [/^install$/, "-i --index-url --extra-index-url -f --find-links"],
  pipx: [/^(?:install|inject)$/, "-i --index-url"],
  uv: [/^(?:add|install)$/, "-i --index-url --extra-index-url --index --default-index"],
  poetry: [/^add$/, "--source"],
  "conda mamba": [/^install$/, "-c --channel"],
  "npm pnpm": [/^(?:i|install|add)$/, "--registry"],
  yarn: [/^(?:add|global)$/, "--registry"],
  cargo: [/^(?:install|binstall)$/, "--index --registry"],
  go: [/^(?:install|get|run)$/],
  gem: [/^install$/, "--source -s"],
  brew: [/^(?:install|tap|reinstall)$/],
  composer: [/^(?:require|global)$/],
  luarocks: [/^install$/],
  "apt apt-get dnf yum apk zypper snap flatpak choco winget scoop port nix-env aptitude": [
    /^(?:install|add|-i|-iA)$/,
  ],
  pacman: [/^-S/],
};

function manager(name: string, [verbs, index]: Manager): Program {
  const valued = index === undefined ? VALUED : `${VALUED} ${index}`;
  return (call, shell) => {
    const at = verbAt(name, call.texts);
    const verb = call.texts[at] ?? "";
    const rest = call.from(at + 1);
    const starts = findRow(name)?.starts;
    if (/^(?:config|set)$/.test(verb)) noteSetting(name, rest.texts, shell);
    if (starts !== undefined) {
      const isTool = call.texts[0] === "tool" && starts.subcommands?.has(verb);
      const isPackage = isTool || RUNS_PACKAGE.test(`${name} ${verb}`);
      if (isPackage) return runPackage(name === "uv" ? "uvx" : name, rest, shell);
      const printed = startInner(starts, call, shell);
      if (splitStart(starts, call.words).hasSubcommand) return printed;
    }
    if (!verbs.test(verb)) return EMPTY;
    const options = new Options(rest.words, words(valued));
    const trusted = options.get("--trusted-host");
    if (trusted !== undefined) {
      const detail = `${name} --trusted-host ${trusted.text}`;
      shell.effect({ type: "disable-protection", what: "certificate-check", detail });
    }
    const from = options.get(index);
    const git = options.get("--git");
    if (git !== undefined) install(name, git, undefined, shell);
    for (const operand of options.operands.slice(0, 100)) install(name, operand, from, shell);
    return EMPTY;
  };
}

const VALUED =
  "-r -t -C --requirement --target --trusted-host --prefix --git --branch --tag --python --with --version --from --root";

// The others start what is already installed.
const RUNS_PACKAGE = /^(?:npm (?:exec|x)|(?:pnpm|yarn) dlx|pipx run|uv x)$/;

/** `npm config set registry …`, `pip config set global.index-url …`: every later install comes from there. */
function noteSetting(manager: string, texts: readonly string[], shell: Shell): void {
  const url =
    /\b(?:registry|index-url|extra-index-url|npmRegistryServer)["'\s=]{1,5}(https?:\/\/\S{3,300})/i.exec(
      texts.slice(0, 8).join(" "),
    )?.[1];
  if (url === undefined || texts.some((text) => /^@[\w-]{1,60}:registry/.test(text))) return;
  const name = "every package";
  shell.effect({ type: "install-package", manager, name, from: "index", pinned: false, url });
}

// `uv pip install`, `uv tool run`, `yarn global add` have a word before the verb.
function verbAt(name: string, texts: readonly string[]): number {
  if (name === "pacman" || name === "nix-env") return 0;
  const start = /^(?:pip|tool|global)$/.test(texts[0] ?? "") ? 1 : 0;
  return texts.findIndex((text, position) => position >= start && !/^--?\w/.test(text));
}

function install(manager: string, operand: Value, index: Value | undefined, shell: Shell): void {
  const { text } = operand;
  if (text === "" || text === "*") return;
  const isGit = /^git[+:@]|\.git(?:@|#|$)|^(?:github|gitlab|bitbucket):/.test(text);
  const isUrl = /^https?:\/\//.test(text);
  const isLocal = /^(?:[.~/]|file:)/.test(text);
  const url = isGit || isUrl ? text : index?.text;
  shell.effect({
    type: "install-package",
    manager,
    name: text.slice(0, 200),
    from: isGit ? "git" : isUrl ? "url" : isLocal ? "local" : index === undefined ? "registry" : "index",
    pinned: /[=@]=?=?v?\d+\.\d|[=@][0-9a-f]{7,40}$/.test(text),
    ...(url === undefined ? {} : { url }),
  });
  // Installing a package that was fetched before runs it.
  if (isLocal || /\.(?:whl|tgz|deb|rpm|pkg|gem|tar\.gz)$/.test(text)) shell.runFile(operand, manager);
}

function runPackage(manager: string, { words, texts, input }: Call, shell: Shell): Value {
  const { subcommands: _none, ...starts } = findRow(manager)?.starts ?? {};
  const at = splitStart(starts, words).next;
  const text = texts.findIndex((option) => option === "-c" || option === "--call");
  if (text !== -1 && text < at) return shell.runText(words[text + 1] ?? UNKNOWN, manager);
  const from = words.find(
    (_word, index) => index < at && /^(?:-p|--package|--from|--spec)$/.test(texts[index - 1] ?? ""),
  );
  const specifier = (from ?? words[at])?.text;
  if (specifier === undefined) return EMPTY;
  shell.effect({
    type: "install-package",
    manager,
    name: specifier.slice(0, 200),
    from: /^(?:git\+|github:|https?:\/\/)/.test(specifier) ? "git" : "runner",
    pinned: /.@v?\d+\.\d|==\d/.test(specifier),
    ...(/^(?:git\+|https?:\/\/)/.test(specifier) ? { url: specifier } : {}),
  });
  const program = (texts[at] ?? "").replace(/(.)@[\w.^~-]+$/, "$1");
  const isFile = starts.runsFiles && /^[^/\\]+\.py$/.test(program);
  return shell.runWords([known(isFile ? `./${program}` : program), ...words.slice(at + 1)], input);
}

export const PACKAGE_MANAGERS: Column<Program | QuietProgram> = {
  ...Object.fromEntries(byName(MANAGERS).map(([name, row]) => [name, manager(name, row)])),
  "npx bunx uvx pnpx": (call, shell) => runPackage(call.program, call, shell),
};

const agent: Program = ({ program, texts, joined, isBackground }, shell) => {
  const text = joined.slice(0, 400);
  const unasked = texts.find((text) => UNASKED.test(text));
  if (unasked !== undefined)
    shell.effect({ type: "disable-protection", what: "approval", detail: `${program} ${unasked}` });
  if (texts[0] === "mcp" && /^add/.test(texts[1] ?? ""))
    shell.effect({ type: "agent-config", what: "mcp-server", path: `${program} mcp`, text });
  if (texts[0] === "config" && texts[1] === "set")
    shell.effect({
      type: "agent-config",
      what: "settings",
      path: `${program} config`,
      // As it would be written in the file.
      text: text.replace(/^config set (?:-\S{1,20} ){0,4}(\S{1,80}) /, "$1 = "),
    });
  if (/^(?:skills?|plugins?|extensions?)$/.test(texts[0] ?? "") && /^(?:add|install|i)$/.test(texts[1] ?? ""))
    installSkill(texts.slice(2), shell, { background: isBackground });
  return UNKNOWN;
};

const UNASKED =
  /^(?:--dangerously-[\w-]{1,60}|--yolo|--full-auto|--allow-all-tools|--trust-all-tools|--auto-approve|--approval-mode=yolo)$/;

/** `clawhub install name`, `skills add owner/repository`. */
const skillInstaller: QuietProgram = ({ texts, isBackground }, shell) => {
  const at = texts.findIndex((text) => /^(?:add|install|i|update|sync)$/.test(text));
  if (at !== -1) installSkill(texts.slice(at + 1), shell, { background: isBackground });
};

function installSkill(
  texts: readonly string[],
  shell: Shell,
  { background }: { readonly background: boolean },
): void {
  const name = texts.find((text) => !text.startsWith("-"));
  if (name !== undefined) shell.effect({ type: "install-skill", name: name.slice(0, 200), background });
}

export const AGENT_TOOLS: Column<Program | QuietProgram> = {
  "claude codex gemini openclaw clawdbot moltbot cursor-agent opencode qwen copilot goose aider hermes q kiro skillet":
    agent,
  "clawhub skills skillhub molthub smithery": skillInstaller,
  "add-skill": ({ texts, isBackground }, shell) => {
    installSkill(texts, shell, { background: isBackground });
  },
};

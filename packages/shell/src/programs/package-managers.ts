import type { Program, Shell } from "../model/call.ts";
import { named } from "../model/call.ts";
import { EMPTY, known, UNKNOWN, type Value } from "../model/value.ts";
import { list } from "../table/program-row.ts";
import { findRow } from "../table/programs.ts";
import { type OptionShape, optionOf, readOptions } from "../table/split-options.ts";
import { skipOptions, startInner, startOf } from "./starters.ts";

/** How a manager is told to install something. */
interface Manager {
  /** Verbs that install; empty where the program itself does. */
  readonly verbs: RegExp;
  readonly index?: readonly string[];
}

const MANAGERS: readonly (readonly [string, Manager])[] = [
  ["pip", { verbs: /^install$/, index: ["-i", "--index-url", "--extra-index-url", "-f", "--find-links"] }],
  ["pip3", { verbs: /^install$/, index: ["-i", "--index-url", "--extra-index-url", "-f", "--find-links"] }],
  ["pipx", { verbs: /^(?:install|inject)$/, index: ["-i", "--index-url"] }],
  [
    "uv",
    {
      verbs: /^(?:add|install)$/,
      index: ["-i", "--index-url", "--extra-index-url", "--index", "--default-index"],
    },
  ],
  ["poetry", { verbs: /^add$/, index: ["--source"] }],
  ["conda", { verbs: /^install$/, index: ["-c", "--channel"] }],
  ["mamba", { verbs: /^install$/, index: ["-c", "--channel"] }],
  ["npm", { verbs: /^(?:i|install|add)$/, index: ["--registry"] }],
  ["pnpm", { verbs: /^(?:i|install|add)$/, index: ["--registry"] }],
  ["yarn", { verbs: /^(?:add|global)$/, index: ["--registry"] }],
  ["cargo", { verbs: /^(?:install|binstall)$/, index: ["--index", "--registry"] }],
  ["go", { verbs: /^(?:install|get|run)$/ }],
  ["gem", { verbs: /^install$/, index: ["--source", "-s"] }],
  ["brew", { verbs: /^(?:install|tap|reinstall)$/ }],
  ["composer", { verbs: /^(?:require|global)$/ }],
  ["luarocks", { verbs: /^install$/ }],
  ...list("apt apt-get dnf yum apk zypper snap flatpak choco winget scoop port nix-env aptitude").map(
    (name) => [name, { verbs: /^(?:install|add|-i|-iA)$/ }] as const,
  ),
  ["pacman", { verbs: /^-S/ }],
];

function manager(name: string, { verbs, index = [] }: Manager): Program {
  const shape = optionShape(index);
  return (call, shell) => {
    const { words, texts } = call;
    const at = verbAt(name, texts);
    const verb = texts[at] ?? "";
    const rest = { ...call, words: words.slice(at + 1), texts: texts.slice(at + 1) };
    const starts = findRow(name)?.starts;
    noteSetting(name, texts, at, shell);
    if (starts !== undefined) {
      const isTool = texts[0] === "tool" && starts.subcommands?.has(verb);
      const isPackage = isTool || RUNS_PACKAGE.test(`${name} ${verb}`);
      if (isPackage) return runPackage(name === "uv" ? "uvx" : name)(rest, shell);
      const printed = startInner(starts, call, shell);
      if (startOf(starts, texts) !== -1) return printed;
    }
    if (!verbs.test(verb)) return EMPTY;
    const options = readOptions(rest.words, shape);
    const trusted = optionOf(options, "--trusted-host");
    if (trusted !== undefined)
      shell.effect({
        type: "disable-protection",
        what: "certificate-check",
        detail: `${name} --trusted-host ${trusted.text}`,
      });
    const from = optionOf(options, ...index);
    const git = optionOf(options, "--git");
    if (git !== undefined) install(name, git, undefined, shell);
    for (const operand of options.operands.slice(0, 100)) install(name, operand, from, shell);
    return EMPTY;
  };
}

// The others start what is installed already.
const RUNS_PACKAGE = /^(?:npm (?:exec|x)|(?:pnpm|yarn) dlx|pipx run|uv x)$/;

/** `npm config set registry …`, `pip config set global.index-url …`: every later install comes from there. */
function noteSetting(name: string, given: readonly string[], at: number, shell: Shell): void {
  // `npm install --strict-ssl false` is one as well.
  if (name === "npm" && /strict-ssl[\s=]{1,5}false/.test(given.join(" ")))
    shell.effect({ type: "disable-protection", what: "certificate-check", detail: "npm strict-ssl false" });
  if (!/^(?:config|set)$/.test(given[at] ?? "")) return;
  const texts = given.slice(at + 1);
  const match =
    /\b(?:registry|index-url|extra-index-url|npmRegistryServer)["'\s=]{1,5}(https?:\/\/\S{3,300})/i.exec(
      texts.slice(0, 8).join(" "),
    );
  if (match?.[1] === undefined || texts.some((text) => /^@[\w-]{1,60}:registry/.test(text))) return;
  shell.effect({
    type: "install-package",
    manager: name,
    name: "every package",
    from: "index",
    pinned: false,
    url: match[1],
  });
}

function optionShape(index: readonly string[]): OptionShape {
  const short = index.filter((option) => option.length === 2).map((option) => option.charAt(1));
  const long = index.filter((option) => option.startsWith("--"));
  return { short: `${short.join("")}rtC`, long: new Set([...long, ...VALUED]) };
}

const VALUED =
  "--requirement --target --trusted-host --prefix --git --branch --tag --python --with --version --from --root".split(
    " ",
  );

// `uv pip install`, `uv tool run`, `yarn global add` have a word before the verb.
function verbAt(name: string, texts: readonly string[]): number {
  if (name === "pacman" || name === "nix-env") return 0;
  const start = /^(?:pip|tool|global)$/.test(texts[0] ?? "") ? 1 : 0;
  return texts.findIndex((text, position) => position >= start && !/^--?\w/.test(text));
}

function install(name: string, operand: Value, index: Value | undefined, shell: Shell): void {
  const { text } = operand;
  if (text === "" || text === "*") return;
  const isGit = /^git[+:@]|\.git(?:@|#|$)|^(?:github|gitlab|bitbucket):/.test(text) || /^git\+/.test(text);
  const isUrl = /^https?:\/\//.test(text);
  const isLocal = /^(?:[.~/]|file:)/.test(text);
  const isPinned = /[=@]=?=?v?\d+\.\d|[=@][0-9a-f]{7,40}$/.test(text);
  shell.effect({
    type: "install-package",
    manager: name,
    name: text.slice(0, 200),
    from: isGit ? "git" : isUrl ? "url" : isLocal ? "local" : index === undefined ? "registry" : "index",
    pinned: isPinned,
    ...(isGit || isUrl ? { url: text } : index === undefined ? {} : { url: index.text }),
  });
  // A package that was fetched before is run by being installed.
  if (isLocal || /\.(?:whl|tgz|deb|rpm|pkg|gem|tar\.gz)$/.test(text)) shell.runFile(operand, name);
}

/** `npx -y package arguments`: fetches a package and runs it. */
function runPackage(name: string): Program {
  return ({ words, texts, input }, shell) => {
    const { starts = {} } = findRow(name) ?? {};
    const at = skipOptions(texts, starts, 0);
    const text = texts.findIndex((option) => option === "-c" || option === "--call");
    if (text !== -1 && text < at) return shell.runText(words[text + 1] ?? UNKNOWN, name);
    const from = words.find(
      (_word, index) => index < at && /^(?:-p|--package|--from|--spec)$/.test(texts[index - 1] ?? ""),
    );
    const chosen = from ?? words[at];
    if (chosen === undefined) return EMPTY;
    const { text: specifier } = chosen;
    shell.effect({
      type: "install-package",
      manager: name,
      name: specifier.slice(0, 200),
      from: /^(?:git\+|github:|https?:\/\/)/.test(specifier) ? "git" : "runner",
      pinned: /.@v?\d+\.\d|==\d/.test(specifier),
      ...(/^(?:git\+|https?:\/\/)/.test(specifier) ? { url: specifier } : {}),
    });
    const program = (words[at]?.text ?? "").replace(/(.)@[\w.^~-]+$/, "$1");
    const isFile = starts.runsFiles && /^[^/\\]+\.py$/.test(program);
    return shell.runWords([known(isFile ? `./${program}` : program), ...words.slice(at + 1)], input);
  };
}

export const PACKAGE_MANAGERS: readonly (readonly [string, Program])[] = [
  ...MANAGERS.map(([name, shape]) => [name, manager(name, shape)] as const),
  ...["npx", "bunx", "uvx", "pnpx"].map((name) => [name, runPackage(name)] as const),
];

/** Command lines of agents: their servers, their settings, and how they are told not to ask. */
const agent: Program = ({ program, texts, isBackground }, shell) => {
  const joined = texts.join(" ").slice(0, 400);
  const unasked = texts.find((text) => UNASKED.test(text));
  if (unasked !== undefined)
    shell.effect({ type: "disable-protection", what: "approval", detail: `${program} ${unasked}` });
  if (texts[0] === "mcp" && /^add/.test(texts[1] ?? ""))
    shell.effect({ type: "agent-config", what: "mcp-server", path: `${program} mcp`, text: joined });
  if (texts[0] === "config" && texts[1] === "set")
    shell.effect({ type: "agent-config", what: "settings", path: `${program} config`, text: joined });
  if (/^(?:skills?|plugins?|extensions?)$/.test(texts[0] ?? "") && /^(?:add|install|i)$/.test(texts[1] ?? ""))
    installSkill(texts.slice(2), shell, { background: isBackground });
  return UNKNOWN;
};

const UNASKED =
  /^(?:--dangerously-[\w-]{1,60}|--yolo|--full-auto|--allow-all-tools|--trust-all-tools|--auto-approve|--approval-mode=yolo)$/;

/** `clawhub install name`, `skills add owner/repository`. */
const skillInstaller: Program = ({ texts, isBackground }, shell) => {
  const at = texts.findIndex((text) => /^(?:add|install|i|update|sync)$/.test(text));
  if (at !== -1) installSkill(texts.slice(at + 1), shell, { background: isBackground });
  return EMPTY;
};

const addSkill: Program = ({ texts, isBackground }, shell) => {
  installSkill(texts, shell, { background: isBackground });
  return EMPTY;
};

function installSkill(
  texts: readonly string[],
  shell: Shell,
  { background }: { readonly background: boolean },
): void {
  const name = texts.find((text) => !text.startsWith("-"));
  if (name !== undefined) shell.effect({ type: "install-skill", name: name.slice(0, 200), background });
}

export const AGENT_TOOLS: readonly (readonly [string, Program])[] = [
  ...named(
    "claude codex gemini openclaw clawdbot moltbot cursor-agent opencode qwen copilot goose aider hermes q kiro skillet",
    agent,
  ),
  ...named("clawhub skills skillhub molthub smithery", skillInstaller),
  ["add-skill", addSkill],
];

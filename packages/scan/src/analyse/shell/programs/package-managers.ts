import { type OptionShape, optionOf, readOptions } from "../read-options.ts";
import type { Program, Shell } from "../shell-call.ts";
import { EMPTY, known, UNKNOWN, type Value } from "../value.ts";

/** How a manager is told to install something. */
interface Manager {
  /** Verbs that install; empty where the program itself does. */
  readonly verbs: RegExp;
  readonly index?: readonly string[];
}

const MANAGERS: readonly (readonly [string, Manager])[] = [
  ["pip", { verbs: /^install$/, index: ["-i", "--index-url", "--extra-index-url", "-f", "--find-links"] }],
  ["pip3", { verbs: /^install$/, index: ["-i", "--index-url", "--extra-index-url", "-f", "--find-links"] }],
  ["pipx", { verbs: /^(?:install|run|inject)$/, index: ["-i", "--index-url"] }],
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
  ["npm", { verbs: /^(?:i|install|add|exec)$/, index: ["--registry"] }],
  ["pnpm", { verbs: /^(?:i|install|add|dlx)$/, index: ["--registry"] }],
  ["yarn", { verbs: /^(?:add|dlx|global)$/, index: ["--registry"] }],
  ["cargo", { verbs: /^(?:install|binstall)$/, index: ["--index", "--registry"] }],
  ["go", { verbs: /^(?:install|get|run)$/ }],
  ["gem", { verbs: /^install$/, index: ["--source", "-s"] }],
  ["brew", { verbs: /^(?:install|tap|reinstall)$/ }],
  ["composer", { verbs: /^(?:require|global)$/ }],
  ["luarocks", { verbs: /^install$/ }],
  ...[
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "apk",
    "zypper",
    "snap",
    "flatpak",
    "choco",
    "winget",
    "scoop",
    "port",
    "nix-env",
    "aptitude",
  ].map((name) => [name, { verbs: /^(?:install|add|-i|-iA)$/ }] as const),
  ["pacman", { verbs: /^-S/ }],
];

function manager(name: string, { verbs, index = [] }: Manager): Program {
  const shape = optionShape(index);
  return (call, shell) => {
    const { words, texts } = call;
    if (name === "npm" && /strict-ssl\s+false/.test(texts.join(" ")))
      shell.act({ type: "disable-protection", what: "certificate-check", detail: "npm strict-ssl false" });
    const at = verbAt(name, texts);
    const verb = texts[at] ?? "";
    const behind = { ...call, words: words.slice(at + 1), texts: texts.slice(at + 1) };
    if (name === "uv" && verb === "run")
      return texts[0] === "tool"
        ? runPackage("uvx")(behind, shell)
        : runInside(behind.words, call.input, shell);
    if (/^(?:config|set)$/.test(verb)) noteIndex(name, behind.texts, shell);
    if (!verbs.test(verb)) return EMPTY;
    if (/^(?:exec|dlx|run)$/.test(verb) && name !== "go") return runPackage(name)(behind, shell);
    const options = readOptions(behind.words, shape);
    const trusted = optionOf(options, "--trusted-host");
    if (trusted !== undefined)
      shell.act({
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

/** `npm config set registry …`, `pip config set global.index-url …`: every later install comes from there. */
function noteIndex(name: string, texts: readonly string[], shell: Shell): void {
  const match =
    /\b(?:registry|index-url|extra-index-url|npmRegistryServer)["'\s=]{1,5}(https?:\/\/\S{3,300})/i.exec(
      texts.slice(0, 8).join(" "),
    );
  if (match?.[1] === undefined || texts.some((text) => /^@[\w-]{1,60}:registry/.test(text))) return;
  shell.act({
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
  shell.act({
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
    const valued = new Set([
      "-p",
      "--package",
      "--from",
      "--with",
      "--python",
      "--registry",
      "-c",
      "--call",
      "--spec",
    ]);
    let at = 0;
    while (at < texts.length && texts[at]?.startsWith("-")) at += valued.has(texts[at] ?? "") ? 2 : 1;
    const text = texts.findIndex((option) => option === "-c" || option === "--call");
    if (text !== -1 && text < at) return shell.runText(words[text + 1] ?? UNKNOWN, name);
    const from = words.find(
      (_word, index) => index < at && /^(?:-p|--package|--from|--spec)$/.test(texts[index - 1] ?? ""),
    );
    const chosen = from ?? words[at];
    if (chosen === undefined) return EMPTY;
    const { text: specifier } = chosen;
    shell.act({
      type: "install-package",
      manager: name,
      name: specifier.slice(0, 200),
      from: /^(?:git\+|github:|https?:\/\/)/.test(specifier) ? "git" : "runner",
      pinned: /.@v?\d+\.\d|==\d/.test(specifier),
      ...(/^(?:git\+|https?:\/\/)/.test(specifier) ? { url: specifier } : {}),
    });
    const program = (words[at]?.text ?? "").replace(/(.)@[\w.^~-]+$/, "$1");
    return shell.runWords([known(program), ...words.slice(at + 1)], input);
  };
}

function runInside(words: readonly Value[], input: Value | undefined, shell: Shell): Value {
  const at = words.findIndex(
    ({ text }, index) =>
      !text.startsWith("-") &&
      !/^--(?:with|python|from|env-file|project|directory|extra|group)$/.test(words[index - 1]?.text ?? ""),
  );
  return at === -1 ? EMPTY : shell.runWords(words.slice(at), input);
}

/** Programs that install or fetch packages. */
export const PACKAGE_MANAGERS: readonly (readonly [string, Program])[] = [
  ...MANAGERS.map(([name, shape]) => [name, manager(name, shape)] as const),
  ...["npx", "bunx", "uvx", "pnpx"].map((name) => [name, runPackage(name)] as const),
];

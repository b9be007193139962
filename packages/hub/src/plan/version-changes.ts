import type { Capabilities } from "@skillet/scan";
import { CAPABILITY_NAMES, type LockEntry } from "../lock/lock-entry.ts";
import type { CapabilityChange, VersionChanges } from "../plan-item.ts";

const VERBS: Readonly<Record<CapabilityChange["kind"], string>> = {
  network: "contacts",
  commands: "runs",
  paths: "reaches",
  secrets: "asks for",
  persistence: "stays by",
  agentConfig: "changes",
  packages: "installs",
  remoteInstructions: "follows",
  scripts: "has the script",
  hooks: "has the hook",
  mcpServers: "brings the server",
  skills: "brings the skill",
  slashCommands: "brings the command",
  agents: "brings the agent",
  instructions: "brings the instructions",
  settings: "sets",
  allowedTools: "asks other agents to pre-approve",
  limits: "is no longer kept from",
};

const KINDS = CAPABILITY_NAMES as readonly (keyof Capabilities)[];

export function capability(kind: CapabilityChange["kind"], value: string, verb?: string): CapabilityChange {
  return { kind, value, text: `${verb ?? VERBS[kind]} ${value}`, ...(verb !== undefined && { verb }) };
}

type Version = Pick<LockEntry, "files" | "capabilities">;

export function versionChanges(before: Version, after: Version): VersionChanges {
  const [had, has] = [new Map(Object.entries(before.files)), new Map(Object.entries(after.files))];
  const changed = [...has].filter(([path, now]) => {
    const old = had.get(path);
    return old !== undefined && (old.digest !== now.digest || old.mode !== now.mode);
  });
  return {
    added: [...has.keys()].filter((path) => !had.has(path)),
    removed: [...had.keys()].filter((path) => !has.has(path)),
    changed: changed.map(([path]) => path),
    gained: capabilityChanges(before, after),
    lost: capabilityChanges(after, before),
  };
}

export function abilitiesOf(version: Version): readonly CapabilityChange[] {
  const capabilities = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Capabilities;
  return capabilityChanges({ files: {}, capabilities }, version);
}

function capabilityChanges(from: Version, to: Version): readonly CapabilityChange[] {
  const listed = KINDS.flatMap((kind) => {
    const known = new Set(from.capabilities[kind] ?? []);
    const values = (to.capabilities[kind] ?? []).filter((value) => !known.has(value));
    return values.map((value) => capability(kind, value));
  });
  const known = new Set(scriptsOf(from));
  const scripts = scriptsOf(to).filter((path) => !known.has(path));
  return [...listed, ...scripts.map((path) => capability("scripts", path))];
}

// Everything executable by mode, folder or name. Programs recognised by their bytes are among the gained powers.
function scriptsOf({ files }: Version): readonly string[] {
  return Object.keys(files).filter((path) => files[path]?.mode === "755" || isProgramPath(path));
}

export function isProgramPath(path: string): boolean {
  const parts = path.toLowerCase().split("/");
  const name = parts.pop() ?? "";
  const dot = name.lastIndexOf(".");
  return (
    PROGRAM_NAMES.has(name) ||
    NAME_PATTERN.test(name) ||
    parts.some((part) => PROGRAM_FOLDERS.has(part)) ||
    (dot >= 0 && PROGRAM_SUFFIXES.has(name.slice(dot + 1)))
  );
}

// Folders of programs, and those from which version control, editors, agents and build services run files.
const PROGRAM_FOLDERS: ReadonlySet<string> = wordsOf(`
  scripts bin .husky .githooks .vscode .idea .zed .fleet .devcontainer .github .circleci .buildkite .cargo .mvn .bundle
  .cursor .claude .codex .gemini .config
`);

// Files that a tool runs, or reads commands, plugins or sources from, if they are in its working folder.
const PROGRAM_NAMES: ReadonlySet<string> = wordsOf(`
  makefile gnumakefile bsdmakefile justfile .justfile rakefile vagrantfile jenkinsfile gemfile podfile brewfile
  guardfile capfile fastfile berksfile thorfile dangerfile appraisals procfile pipfile snakefile tiltfile earthfile caddyfile
  sconstruct sconscript cmakelists.txt cmakepresets.json meson.build build workspace pkgbuild apkbuild rebar.config
  package.json .npmrc .yarnrc .yarnrc.yml .pnp.data.json pnpm-workspace.yaml lerna.json nx.json project.json turbo.json
  deno.json deno.jsonc bunfig.toml .babelrc babel.config.json .eslintrc .eslintrc.json .eslintrc.yml .eslintrc.yaml
  .prettierrc .stylelintrc .mocharc.json .mocharc.yml .lintstagedrc .nycrc .swcrc nodemon.json ecosystem.config.json
  pyproject.toml setup.cfg tox.ini pytest.ini .pdbrc pip.conf .pypirc environment.yml environment.yaml pixi.toml uv.toml
  cargo.toml composer.json pom.xml build.xml ivy.xml gradle.properties stack.yaml package.yaml pubspec.yaml
  .envrc .env mise.toml .mise.toml mise.local.toml .tool-versions devbox.json
  .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml .overcommit.yml .gitconfig .gitmodules
  .gitattributes .gitlab-ci.yml .travis.yml .drone.yml azure-pipelines.yml bitbucket-pipelines.yml cloudbuild.yaml
  appveyor.yml skaffold.yaml devcontainer.json .devcontainer.json
  .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .kshrc .cshrc .tcshrc .inputrc
  .vimrc .exrc .nvimrc .gvimrc .emacs .spacemacs .gdbinit .lldbinit .rprofile .irbrc .pryrc .pythonrc .screenrc .tmux.conf
  .xinitrc .xprofile crontab autorun.inf desktop.ini
`);

// Names with variable parts: of container files, task files, and machine-specific makefiles.
const NAME_PATTERN =
  /^(?:(?:docker|container|make|jenkins)file(?:[.-].+)?|(?:docker-)?compose(?:[.-].+)?\.ya?ml|taskfile(?:\..+)?\.ya?ml)$/;

// Files that an interpreter, a shell, a build tool, a notebook, an office program or an operating system
// executes directly, or that execute code when loaded.
const PROGRAM_SUFFIXES: ReadonlySet<string> = wordsOf(`
  sh bash zsh fish ksh csh tcsh nu elv xsh ysh command ps1 psm1 psd1 ps1xml psc1 cdxml bat cmd btm
  vbs vbe vb vba bas jse wsf wsh wsc ws sct hta scpt scptd applescript ahk au3 a3x kix rexx exp
  py pyw pyc pyo pyd pyz pyx ipynb pth js mjs cjs jsx ts mts cts tsx coffee litcoffee vue svelte rb erb pl pm pl6 raku rakumod
  php php5 phtml phar lua tcl r rmd qmd jl groovy gradle kts ksh93 el elc lisp scm rkt vim gd
  go rs c cc cpp cxx h hpp m mm java kt scala sc swift cs csx fs fsx vbproj clj cljs cljc bb ex exs erl escript hs lhs ml nim
  zig v d cr dart pas asm s cu awk sed m4 mk mak make cmake ninja bzl bazel star sbt tf hcl nomad cue jsonnet dhall pkl rego
  asp aspx jsp jspx cgi fcgi cfm xsl xslt
  csproj fsproj vcxproj proj targets props sln nuspec podspec gemspec rockspec cabal opam ebuild dockerfile makefile jenkinsfile
  jar war ear class jnlp wasm exe com dll msi msp mst msix appx scr pif cpl sys ocx xll so dylib ko a o bin run appimage snap
  flatpak flatpakref deb rpm apk ipa pkg mpkg dmg iso img vhd vhdx app elf node
  xpi crx vsix mcpb dxt whl egg gem nupkg crate nix reg inf lnk scf url webloc inetloc fileloc desktop service timer socket
  plist workflow action shortcut terminal job msc chm hlp gadget application settingcontent-ms diagcab library-ms search-ms
  code-workspace sublime-project sublime-build tmlanguage
  docm dotm xlsm xltm xlam xla pptm potm ppam one iqy slk swf
  pickle joblib pt ckpt dill rds rdata
`);

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

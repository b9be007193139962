import type { Capabilities } from "@skillet/scan";
import type { LockEntry } from "../lock/lock-entry.ts";

export interface VersionChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly gained: readonly CapabilityChange[];
  readonly lost: readonly CapabilityChange[];
}

export interface CapabilityChange {
  readonly kind:
    | keyof Capabilities
    | "scripts"
    | "hooks"
    | "mcpServers"
    | "skills"
    | "slashCommands"
    | "agents"
    | "instructions"
    | "settings"
    | "allowedTools"
    | "limits";
  readonly value: string;
  readonly text: string;
}

type Version = Pick<LockEntry, "files" | "capabilities">;

export function versionChanges(before: Version, after: Version): VersionChanges {
  const had = before.files;
  const has = after.files;
  const added = Object.keys(has).filter((path) => !Object.hasOwn(had, path));
  const removed = Object.keys(had).filter((path) => !Object.hasOwn(has, path));
  const changed = Object.keys(has).filter((path) => {
    const [old, now] = [Object.hasOwn(had, path) ? had[path] : undefined, has[path]];
    return old !== undefined && now !== undefined && (old.digest !== now.digest || old.mode !== now.mode);
  });
  const gained = capabilityChanges(before, after);
  return { added, removed, changed, gained, lost: capabilityChanges(after, before) };
}

export function abilitiesOf(version: Version): readonly CapabilityChange[] {
  const capabilities = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Capabilities;
  return capabilityChanges({ files: {}, capabilities }, version);
}

function capabilityChanges(from: Version, to: Version): readonly CapabilityChange[] {
  const listed = KINDS.flatMap((kind) => {
    const known = new Set(from.capabilities[kind] ?? []);
    const values = (to.capabilities[kind] ?? []).filter((value) => !known.has(value));
    return values.map((value): CapabilityChange => ({ kind, value, text: `${VERBS[kind]} ${value}` }));
  });
  const known = new Set(scriptsOf(from));
  const scripts = scriptsOf(to).filter((path) => !known.has(path));
  return [
    ...listed,
    ...scripts.map(
      (value): CapabilityChange => ({ kind: "scripts", value, text: `has the script ${value}` }),
    ),
  ];
}

// Whatever can be run: by its mode, its place or its name. What only its bytes tell is among its powers.
function scriptsOf({ files }: Version): readonly string[] {
  return Object.keys(files).filter((path) => files[path]?.mode === "755" || isProgramPath(path));
}

const VERBS: Readonly<Record<keyof Capabilities, string>> = {
  network: "contacts",
  commands: "runs",
  paths: "reaches",
  secrets: "asks for",
  persistence: "stays by",
  agentConfig: "changes",
  packages: "installs",
  remoteInstructions: "follows",
};

const KINDS = Object.keys(VERBS) as readonly (keyof Capabilities)[];

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

// Where programs lie, and what version control, editors, agents and build services run in a folder that they are shown.
const PROGRAM_FOLDERS: ReadonlySet<string> = wordsOf(`
  scripts bin .husky .githooks .vscode .idea .zed .fleet .devcontainer .github .circleci .buildkite .cargo .mvn .bundle
  .cursor .claude .codex .gemini .config
`);

// What a tool runs, or takes commands, plugins or sources from, that finds it in the folder where it is called.
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

// Names that tools take with more words in them: of containers, of tasks, and of makefiles for one machine.
const NAME_PATTERN =
  /^(?:(?:docker|container|make|jenkins)file(?:[.-].+)?|(?:docker-)?compose(?:[.-].+)?\.ya?ml|taskfile(?:\..+)?\.ya?ml)$/;

// Whatever an interpreter, a shell, a build tool, a notebook, an office program or an operating system runs as it lies
// there, or lets a program in when it loads it.
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

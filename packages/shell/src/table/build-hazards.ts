import { byName, type Column, type Hazards, readCell, type Written } from "./program-row.ts";

/** git runs pagers, editors, drivers, hooks, helpers and aliases, most of them on request. */
const GIT: Written<Hazards> = {
  long: "output output-directory ext-diff no-index upload-pack receive-pack exec exec-path extcmd open-files-in-pager config config-env template strategy separate-git-dir git-dir work-tree contents unsafe-paths build-fake-ancestor paginate tool",
  // `ext::sh -c …` is an address that runs a command.
  pattern: /(?:^|=)[A-Za-z0-9+.-]+::|proxycommand/i,
  safePrefix: /[^A-Za-z0-9+.:=-]/,
  subcommands: {
    globals: /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/,
    known: subcommands(
      "add am apply blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick clean commit " +
        "count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref fsck hash-object " +
        "init log ls-files ls-remote ls-tree merge-base merge-tree mv name-rev notes push range-diff reflog " +
        "remote reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash " +
        "status switch symbolic-ref tag update-index update-ref verify-commit verify-tag version --version whatchanged " +
        "worktree write-tree",
      {
        archive: { short: "o" },
        bisect: { words: "run visualize view" },
        clone: { short: "uc" },
        config: {
          short: "ef",
          long: "file edit rename-section remove-section",
          words: "edit rename-section remove-section",
          // Most settings may name a program; these do not.
          pattern:
            /^(?!(?:user\.(?:name|email|signingkey)|(?:color|advice|i18n)\.[\w.-]+|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|rerere\.enabled|init\.defaultbranch)$)[a-z][\w-]*\..+$/i,
        },
        "format-patch": { short: "o" },
        grep: { short: "O" },
        merge: { short: "s" },
        pull: { short: "s" },
        rebase: { short: "sx" },
        submodule: { words: "foreach" },
      },
    ),
  },
};

/** Programs that build and check code. Running their files is their job; these options change which files. */
export const BUILD_HAZARDS: Column<Written<Hazards>> = {
  make: {
    long: "file makefile directory include-dir eval environment-overrides",
    short: "fCIeE",
    // `SHELL=…`, `CC=…`
    pattern: /^(?!-).*=/,
  },
  just: { long: "shell shell-arg justfile working-directory command set chooser", short: "fdc" },
  cmake: { words: "-P -E -C" },
  ninja: { short: "fCt" },
  gradle: { long: "init-script build-file project-dir settings-file", short: "IbpcD" },
  mvn: { long: "file settings global-settings", short: "fsD", pattern: /^[\w.:-]*exec/ },
  rake: { long: "rakefile require execute", short: "fereEpR" },
  bazel: { long: "run_under override_repository bazelrc output_base", words: "run" },
  cargo: {
    long: "config manifest-path",
    short: "ZC",
    subcommands: {
      globals: /^(?:-[qv]+|--(?:quiet|verbose|locked|offline|frozen))$/,
      known: subcommands(
        "add bench build b check c clean clippy doc d fetch fix fmt info metadata new owner remove rm run r search " +
          "test t tree update version vendor",
      ),
    },
  },
  rustc: { long: "codegen sysroot", short: "C", pattern: /^@/ },
  go: {
    words: "-exec -toolexec -overlay -vettool -modfile -o -C -ldflags -gcflags -asmflags generate tool env",
  },
  "cc gcc g++ clang clang++": { words: "-specs -wrapper", short: "B", pattern: /^@|^-fplugin/ },
  java: { pattern: /^-(?:javaagent|agent|XX:On)|^@/ },
  javac: { words: "-processor -processorpath -J", pattern: /^-J|^@|^-Xplugin/ },
  // Their configuration is code.
  "eslint prettier stylelint jest vitest": {
    long: "config plugin parser rulesdir format formatter resolve-plugins-relative-to",
    short: "cf",
  },
  "deno bun tsx": {
    words: "eval x exec repl create",
    short: "er",
    long: "eval print preload require import config",
  },
  hg: { long: "config cwd repository debugger", short: "R" },
  svn: { long: "config-option config-dir" },
};

export const PACKAGE_HAZARDS: Column<Written<Hazards>> = {
  git: GIT,
  "npm pnpm yarn": {
    long: "script-shell node-options call shell userconfig globalconfig git editor viewer prefix dir cwd use-yarnrc",
    short: "cC",
    words: "explore init innit create config c set edit node plugin env",
  },
  pip: { long: "python log config-settings global-option build-option root prefix target", words: "config" },
  bundle: { words: "config open" },
  composer: { long: "working-dir", short: "d", words: "config run-script" },
  poetry: { words: "config" },
  uv: { long: "python directory config-file" },
  "apt apt-get apt-cache": { long: "option config-file", short: "oc" },
  gh: {
    // `gh repo clone … -- -c core.sshCommand=…` passes options to git.
    long: "upload-pack config receive-pack exec",
    pattern: /^(?:-c)?core\.\w+=|::/i,
    safePrefix: /^(?!core)[\w/ .-]{4}/i,
    subcommands: {
      globals: /^--version$/,
      known: subcommands(
        "api attestation cache gist issue label org pr project release repo ruleset run search secret status " +
          "variable workflow --version",
      ),
    },
  },
  systemctl: { long: "root host machine", short: "HM", words: "edit" },
  helm: { long: "post-renderer kubeconfig", words: "plugin" },
};

/** The same hazards, usually none, for several subcommands. */
export function subcommands(
  names: string,
  special: Column<Written<Hazards>> = {},
): ReadonlyMap<string, Hazards> {
  const own = byName(special).map(([name, cell]): [string, Hazards] => [name, readCell(cell)]);
  return new Map([...names.split(" ").map((name): [string, Hazards] => [name, {}]), ...own]);
}

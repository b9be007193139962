import { type ProgramTraits, subcommands } from "./program-traits.ts";

/** git runs pagers, editors, drivers, hooks, helpers and aliases, most of them on request. */
export const GIT: ProgramTraits = {
  long: [
    "output",
    "output-directory",
    "ext-diff",
    "no-index",
    "upload-pack",
    "receive-pack",
    "exec",
    "exec-path",
    "extcmd",
    "open-files-in-pager",
    "config",
    "config-env",
    "template",
    "strategy",
    "separate-git-dir",
    "git-dir",
    "work-tree",
    "contents",
    "unsafe-paths",
    "build-fake-ancestor",
    "paginate",
    "tool",
  ],
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
        bisect: { words: ["run", "visualize", "view"] },
        clone: { short: "uc" },
        config: {
          short: "ef",
          long: ["file", "edit", "rename-section", "remove-section"],
          words: ["edit", "rename-section", "remove-section"],
          // Most settings name a program somewhere; these do not.
          pattern:
            /^(?!(?:user\.(?:name|email|signingkey)|(?:color|advice|i18n)\.[\w.-]+|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|rerere\.enabled|init\.defaultbranch)$)[a-z][\w-]*\..+$/i,
        },
        "format-patch": { short: "o" },
        grep: { short: "O" },
        merge: { short: "s" },
        pull: { short: "s" },
        rebase: { short: "sx" },
        submodule: { words: ["foreach"] },
      },
    ),
  },
};

import { type CommandDefinition, commaList, wholeNumber } from "./command-definition.ts";

const FORCE = "--force  go ahead despite scan warnings, where they can be overridden";
const TOOLS = "--tools  also install commands that skills need and this machine lacks, as shown";
const YES = "-y, --yes  do not ask the plain question; blocks and warnings stay";
const DRY_RUN = "--dry-run  show everything, write nothing";
const SOME = "names: [name...]  only these; all unless given";
const INSTALLED = "name: <name>  an installed skill";

interface HubCommand extends CommandDefinition {
  /** What the command does to installed skills; it covers user and project unless one of them is named. */
  readonly inBothScopes?: "read" | "changed";
}

const SCOPES = `
      --project  only what is in the project's skillet.lock (default: both)
      --user     only what is installed for you`;

const COMMANDS: readonly HubCommand[] = [
  {
    name: "install",
    aliases: ["add"],
    summary: "install skills, after a scan and your confirmation",
    description:
      "Install skills or a plugin from a source: fetch, check, scan and show them, and place and lock them once you confirm. Without a source, install what the lock says, and the plugins that your config lists.",
    arguments:
      "source: [source]  OWNER/REPO, OWNER/REPO#REF, OWNER/REPO@SKILL, a git or web URL, ./FOLDER, an archive, npm:NAME, or oci://REFERENCE",
    options: `
      --ref <ref>            a branch, tag, commit or version
      --name <name>          install it under another name
      --skill <name>         this skill or plugin of the source (repeatable)
      --all                  every skill of the source
      --list                 list what the source holds, and install nothing
      --project              into the project, for everyone who works on it, instead of for you
      --user                 without a source: only what is installed for you; otherwise the project's too
      --agent <ids>          link it for these agents, such as claude-code,codex, or for none (repeatable; default: those in use here)
      --copy                 copy it for other agents instead of linking it
      --link                 use a local folder where it is, without copying it
      --frozen               exactly what the lock says, without questions; exits with 1 on any deviation
      --import <file>        install what a skills-lock.json or .skill-lock.json lists
      --private-host <host>  a server of your own network that it may come from, with or without :port (repeatable)
      --skills-lock          with --project: also write skills-lock.json
      --discard              replace edited skills; without a source, with what the lock says
      --skip-existing        skip skills whose name is already taken
      --keep-going           install the others where one cannot be installed, and exit with 1
      ${FORCE}
      --accept-capabilities  accept what a new version can do that the old one could not
      ${TOOLS}
      ${YES}
      ${DRY_RUN}`,
    read: { agent: commaList },
    examples: [
      "install anthropics/skills@pdf",
      "install ./skills --skill deploy --project",
      "install --frozen --project",
    ],
    load: async () => (await import("../commands/try.ts")).installOrList,
  },
  {
    name: "update",
    summary: "bring installed skills up to date",
    description:
      "Show what newer versions change and what they can do that the old ones could not, and install them once you confirm; all of them, or none.",
    arguments: SOME,
    options: `
      --keep                 skip edited skills, and update the others
      --discard              replace skills even if they were edited
      --keep-going           update the others where one cannot be updated, and exit with 1
      --accept-capabilities  accept what new versions can do that old ones could not
      ${FORCE}
      ${TOOLS}
      ${YES}
      ${DRY_RUN}`,
    examples: ["update", "update pdf --dry-run"],
    inBothScopes: "changed",
    load: async () => (await import("../commands/update.ts")).update,
  },
  {
    name: "remove",
    aliases: ["rm"],
    summary: "remove skills",
    description:
      "Remove installed skills from every folder they were placed in. Skills that Skillet did not install are moved out of the folders of agents into its store, from where `skillet enable` brings them back. A name means all of your skills with that name; a path means one.",
    arguments: "names: <name...>  what to remove",
    options: `
      --discard     also where files were edited
      --keep-going  remove the others where one cannot be removed, and exit with 1
      -y, --yes     do not ask
      --dry-run     show what would go, remove nothing`,
    examples: ["remove pdf"],
    inBothScopes: "changed",
    load: async () => (await import("../commands/remove.ts")).remove,
  },
  {
    name: "adopt",
    summary: "let Skillet manage skills that your agents already have",
    description:
      "Add the skills in your agents' folders to your lock, and leave them where they are, so that verify, outdated, update and remove work on them. Their source is guessed from the repository or the other tool's lock that has them. All are scanned and shown first.",
    arguments: "names: [name...]  only these; otherwise all",
    options: `
      --force       also what the scan warns about
      --keep-going  adopt the others where one cannot be adopted, and exit with 1
      -y, --yes     do not ask
      --dry-run     show what would be listed, change nothing`,
    examples: ["adopt --dry-run", "adopt pdf"],
    load: async () => (await import("../commands/adopt.ts")).adopt,
  },
  {
    name: "prune",
    summary: "remove what Skillet keeps and nothing needs",
    description:
      "Remove versions that no installed skill needs, caches, and downloads that were never finished. What a rollback needs is kept, and so are skills that you removed from agents.",
    options: `
      --all      also delete versions kept for rollback, copies of scripts that ran recently, and skills that you removed from agents
      -y, --yes  do not ask
      --dry-run  show what would go and how much it is, remove nothing`,
    examples: ["prune --dry-run", "prune --all"],
    load: async () => (await import("../commands/prune.ts")).prune,
  },
  {
    name: "uninstall",
    summary: "take Skillet off this machine, or remove skills",
    description:
      "Undo what Skillet did on this machine, after showing it: disabled skills go back to your agents, except dangerous ones; installed skills, links and hooks that Skillet made, and what it keeps for itself, are removed. Skills that you wrote stay, and so do the lock files of projects. With names, remove these skills, as `skillet remove` does.",
    arguments: "names: [name...]  only these skills",
    options: `
      --discard  also installed skills that were edited
      -y, --yes  do not ask
      --dry-run  show what would go and what would stay, remove nothing`,
    examples: ["uninstall --dry-run", "uninstall"],
    load: async () => (await import("../commands/uninstall.ts")).uninstall,
  },
  {
    name: "outdated",
    summary: "say which installed skills have newer versions",
    description: "Ask the sources of installed skills for newer versions; nothing is changed.",
    arguments: SOME,
    options: `
      --exit-code  exit with 1 if something is outdated, a tag is newer or a source cannot be reached`,
    examples: ["outdated", "outdated --project --exit-code"],
    inBothScopes: "read",
    load: async () => (await import("../commands/outdated.ts")).outdated,
  },
  {
    name: "diff",
    summary: "show what an update would change, and what was edited",
    description:
      "Show file by file what the newest version of installed skills changes, what else it can do, and what was edited here; nothing is changed.",
    arguments: SOME,
    options: `
      --previous  what the installed version changed, against the one before`,
    examples: ["diff pdf", "diff pdf --previous"],
    inBothScopes: "read",
    load: async () => (await import("../commands/diff.ts")).diff,
  },
  {
    name: "verify",
    summary: "check installed skills against the lock",
    description: "Hash what is on disk, and name every file that differs from the lock; nothing is changed.",
    arguments: SOME,
    examples: ["verify", "verify --project --json"],
    inBothScopes: "read",
    load: async () => (await import("../commands/verify.ts")).verify,
  },
  {
    name: "history",
    summary: "list the versions of a skill that were installed",
    description: "List the versions of a skill that were installed, oldest first, from the audit log.",
    arguments: INSTALLED,
    examples: ["history pdf"],
    inBothScopes: "read",
    load: async () => (await import("../commands/history.ts")).history,
  },
  {
    name: "rollback",
    summary: "go back to an earlier version of a skill",
    description:
      "Go back to the version before the installed one; it is scanned again, and you confirm it again.",
    arguments: INSTALLED,
    options: `
      --to <id>              the version to go to: a digest, commit or version as \`skillet history\` shows it
      --discard              replace the skill even if it was edited
      --accept-capabilities  accept what that version can do that the installed one cannot
      ${FORCE}
      ${YES}
      ${DRY_RUN}`,
    examples: ["rollback pdf"],
    inBothScopes: "changed",
    load: async () => (await import("../commands/rollback.ts")).rollback,
  },
  {
    name: "pin",
    summary: "exclude skills from updates",
    description: "Exclude skills from updates. A reason is shown whenever they are skipped.",
    arguments: "names: <name...>  installed skills",
    options: `
      --reason <text>  the reason, kept for later`,
    examples: ["pin pdf", "pin pdf notion", 'pin pdf --reason "2.0 breaks our forms"'],
    inBothScopes: "changed",
    load: async () => (await import("../commands/pin.ts")).pin,
  },
  {
    name: "unpin",
    summary: "let skills be updated again",
    description: "Let skills be updated again.",
    arguments: "names: <name...>  pinned skills",
    examples: ["unpin pdf"],
    inBothScopes: "changed",
    load: async () => (await import("../commands/pin.ts")).unpin,
  },
  {
    name: "allow",
    summary: "turn the hooks or MCP servers of a plugin on or off",
    description:
      "Turn the hooks or MCP servers of an installed plugin on, or both off; without a flag, show what is on.",
    arguments: "name: <name>  an installed plugin",
    options: `
      --hooks  its hooks
      --mcp    its MCP servers
      --none   turn both off
      --project  the project's plugin, instead of yours`,
    examples: ["allow team-tools --mcp"],
    load: async () => (await import("../commands/allow.ts")).allow,
  },
  {
    name: "audit",
    summary: "show and verify the log of decisions",
    description:
      "Show what was decided, newest last, and check that no record was changed, added or removed; exits with 1 if the log is broken.",
    options: `
      --verify              only check the log
      --skill <name>        only what was decided about this skill
      --limit <number>      show at most this many records (default: 20)
      --export-head <file>  write the last record to a file, to be kept elsewhere
      --sign <keyfile>      with --export-head: sign it
      --check-head <file>   check that the log still holds everything up to a head that was kept
      --key <key>           with --check-head: the public key that must have signed it, or its file`,
    read: { limit: wholeNumber(1, 9_999_999, "Use a whole number of at least 1.") },
    examples: ["audit --skill pdf", "audit --check-head head.json"],
    load: async () => (await import("../commands/audit.ts")).audit,
  },
  {
    name: "publish",
    summary: "publish skills to a static site or an OCI registry",
    description:
      "Pack skills and write them into a folder that any web server serves, or push one to a registry.",
    arguments: "paths: [path...]  folders of skills to publish",
    options: `
      --site <dir>       the folder that a web server serves
      --oci <reference>  a registry, a repository and a tag, such as registry.example.com/skills/pdf:1.0.0
      --tag <tag>        with --oci: the tag; otherwise the reference's, or the skill's version
      --move-tag         with --oci: move a tag that names other bytes
      --sign <keyfile>   sign with this key
      --new-key <file>   make a signing key, and publish nothing
      --dry-run          show what would be published, write nothing`,
    examples: ["publish skills/pdf --site public", "publish --new-key publish.key"],
    load: async () => (await import("../commands/publish.ts")).publish,
  },
];

export const HUB_COMMANDS: readonly CommandDefinition[] = COMMANDS.map(
  ({ inBothScopes, ...definition }): CommandDefinition => {
    const { name, options = "", load } = definition;
    if (inBothScopes === undefined || load === undefined) return definition;
    const isChanged = inBothScopes === "changed";
    return {
      ...definition,
      options: `${options}${SCOPES}`,
      load: async () =>
        (await import("../hub/in-scopes.ts")).inScopes(await load(), { title: name, changes: isChanged }),
    };
  },
);

import type { Scope } from "@skillet/core";
import { answer } from "../context/command-context.ts";
import { loadSelecting } from "../load-beside.ts";
import type { ShownState } from "../ui/skill-state.ts";
import { BEGIN_COMMANDS } from "./begin-commands.ts";
import { type CommandDefinition, commaList, oneOf, someOf, wordsOf } from "./command-definition.ts";
import { ENRICH, EVAL, SCAN, SEARCH } from "./eval-commands.ts";
import { HUB_COMMANDS } from "./hub-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";

const scopes = wordsOf<Scope>();
const SCOPES = scopes(["explicit", "organisation", "plugin", "project", "claude", "user", "bundled"]);
const STATES = wordsOf<ShownState>()([
  "enabled",
  "disabled",
  "off",
  "unavailable",
  "untrusted",
  "shadowed",
  "withheld",
  "changed",
  "unscanned",
  "denied",
  "unwritten",
]);
const KEY = "key: <key>  a dotted key, such as skills.userDir";
const SWITCH_AGENT =
  "--agent <ids>  only in these agents, such as codex,cursor, and not in Skillet (repeatable)";
const SWITCH_YES = "-y, --yes  do not ask before settings of agents are changed and folders moved";
const SWITCH_DRY_RUN = "--dry-run  show every change, make none";
const PROJECT_CONFIG = "--project  the project's config instead of yours";

const SHOW: CommandDefinition = {
  name: "show",
  aliases: ["list", "ls"],
  summary: "list skills, and which agents read them",
  description: "List skills by where they were found: whether each is offered, why not, and what it costs.",
  arguments: "names: [name...]  only these skills",
  options: `
    --scope <scope>  only skills found there
    --state <state>  only skills in that state
    --agent <ids>    only skills that these agents read, such as codex, or all, grouped by them (repeatable)
    --search <text>  only skills whose name, description or tags contain the text
    --long           several lines per skill: whole descriptions, paths, why not`,
  read: { scope: someOf(SCOPES), state: someOf(STATES), agent: commaList },
  examples: [
    "show",
    "show --state unavailable --state disabled",
    "show --search pdf --long",
    "show --agent codex",
  ],
  load: async () => (await import("../commands/show.ts")).show,
};

const EXPLAIN: CommandDefinition = {
  name: "explain",
  summary: "say which agents read a skill, and why it is offered or not",
  description:
    "Say where a skill was found, what it shadows, what it needs, and why it is or is not offered.",
  arguments: "name: <name>  a skill's name, qualified name, folder name or path (see --skills-root)",
  examples: ["explain gh", "explain user:pdf --json"],
  load: async () => (await import("../commands/explain.ts")).explain,
};

const VALIDATE: CommandDefinition = {
  name: "validate",
  summary: "check skills against the specification",
  description:
    "Check SKILL.md files, skill folders or folders of skills against the Agent Skills specification.",
  arguments: "paths: [path...]  what to check; the working directory unless given",
  options: `
    --fix         apply the repairs that cannot change the meaning
    --dry-run     with --fix: show the repairs, write nothing
    --quiet       show errors only
    --ref-compat  answer exactly as the reference validator does`,
  examples: ["validate .", "validate skills/ --fix --dry-run", "validate --ref-compat skills/pdf"],
  load: async () => (await import("../commands/validate.ts")).validate,
};

const LINT: CommandDefinition = {
  name: "lint",
  summary: "find weaknesses in skills that load without errors",
  description:
    "Find weaknesses in skills that load without errors: descriptions that do not get them chosen, missing files, too many or too few tools, skills that take each other's messages. For errors: skillet validate.",
  arguments:
    "words: [path-or-name...]  skill folders, SKILL.md files, folders of skills or installed skills (default: the working directory)",
  options: `
    --fix                 make the changes that cannot alter what a skill says
    --quiet               show warnings only
    --format <format>     how to report (default: text)
    --fail-on <severity>  exit with 1 at this severity or worse (default: warning)
    --rules               list every rule and its reason`,
  read: { format: oneOf(["text", "json", "sarif"]), failOn: oneOf(["warning", "info", "never"]) },
  examples: ["lint", "lint skills/pdf --fix", "lint pdf-forms --format sarif"],
  load: async () => (await import("../commands/lint.ts")).lint,
};

const PREVIEW: CommandDefinition = {
  name: "preview",
  summary: "see a skill as a model does, and how it ranks for messages",
  description:
    "Show what a model sees of a skill: its entry in the catalogue, its instructions and its files, with the tokens of each; and how it ranks for messages among the skills that are installed.",
  arguments: "skill: <path-or-name>  a skill folder, a SKILL.md or an installed skill",
  options:
    "--message <text>  rank it for this message (repeatable); without it, for those of its trigger set",
  examples: ["preview skills/pdf", 'preview pdf-forms --message "fill in this form"'],
  load: async () => (await import("../commands/preview.ts")).preview,
};

const SCHEMA: CommandDefinition = {
  name: "schema",
  summary: "print the JSON schema of a skill's header, for editors",
  description: "Print the JSON schema of the header of a SKILL.md, with which editors complete and check it.",
  examples: ["schema", "schema > .agents/skill.schema.json"],
  load: async () => async (context) => {
    context.terminal.printRaw(`${JSON.stringify(loadSelecting().frontmatterSchema(), null, 2)}\n`);
    return 0;
  },
};

const DOCTOR: CommandDefinition = {
  name: "doctor",
  summary: "check the installation and everything it reads",
  description:
    "Check Node, folders, config, trust, cache, the audit log, the sandbox and every skill, and say what to do.",
  examples: ["doctor", "doctor --json"],
  load: async () => (await import("../commands/doctor.ts")).doctor,
};

const ENABLE: CommandDefinition = {
  name: "enable",
  summary: "let agents load skills again",
  description:
    "Let agents load skills again: by your config for agents that use Skillet, and by undoing what disable did to the others. A dangerous skill is asked about first.",
  arguments: "names: <name...>  skills to enable: names, qualified names or paths",
  options: `
    --project  take back what was disabled for this project only, instead of writing your config
    ${SWITCH_AGENT}
    ${SWITCH_YES}
    ${SWITCH_DRY_RUN}`,
  read: { agent: commaList },
  examples: ["enable gh", "enable gh --agent codex", "enable deploy --project"],
  load: async () => (await import("../commands/toggle.ts")).enable,
};

const DISABLE: CommandDefinition = {
  name: "disable",
  summary: "stop agents from loading skills",
  description:
    "Stop agents from loading skills: by your config for agents that use Skillet, and for each other agent in use by its own settings, or else by moving the skill into Skillet's store. A name means all of your skills with that name; a path means one.",
  arguments: "names: <name...>  skills to disable: names, qualified names or paths",
  options: `
    --project  only in this project: by its config, and by your own settings of Claude Code there
    ${SWITCH_AGENT}
    ${SWITCH_YES}
    ${SWITCH_DRY_RUN}`,
  read: { agent: commaList },
  examples: ["disable gh", "disable gh --agent codex", "disable deploy --project"],
  load: async () => (await import("../commands/toggle.ts")).disable,
};

const TRUST: CommandDefinition = {
  name: "trust",
  summary: "trust a project's skills, or approve a skill that the scan warns about",
  description:
    "Show the skills that a project folder holds, or what a scan found in one skill, and, once you confirm, let them be offered to models.",
  arguments: "directory: [dir]  the folder; the working directory's project unless given",
  options: `
    -y, --yes           do not ask
    --revoke            stop trusting the folder
    --list              list the folders that are trusted and the skills that are approved
    --approve <skill>   approve a skill that the scan warns about, as long as its files do not change
    --force             with --approve: also if the scan blocks it, where that can be overridden
    --reason <text>     with --approve: why it is a false alarm, which overrides every block of these files
    --withdraw <skill>  take an approval back`,
  examples: [
    "trust",
    "trust ../service --yes",
    "trust --approve deploy",
    "trust --approve azure-cli --reason 'the vendor publishes this installer'",
  ],
  load: async () => (await import("../commands/trust.ts")).trust,
};

const CONFIG: CommandDefinition = {
  name: "config",
  summary: "read and write the configuration",
  description:
    "Read and write the configuration; `skillet config` alone lists every value and where it was set.",
  usage: "[list|get|set|unset|path] [options]",
  examples: ["config list", "config get skills.userDir", "config set skills.scriptTimeout 60000"],
  load: async () => (await import("../commands/config.ts")).configList,
  actions: [
    {
      name: "list",
      description: "List every value, and the layer and file that set it.",
      load: async () => (await import("../commands/config.ts")).configList,
    },
    {
      name: "get",
      description: "Print one value.",
      arguments: KEY,
      load: async () => (await import("../commands/config.ts")).configGet,
    },
    {
      name: "set",
      description: "Write one value.",
      arguments: `
        ${KEY}
        value: <value>  a YAML value: text, a number, true, or a list such as '[a, b]'`,
      options: PROJECT_CONFIG,
      load: async () => (await import("../commands/config.ts")).configSet,
    },
    {
      name: "unset",
      description: "Remove one value, so that a lower layer or the default applies.",
      arguments: KEY,
      options: PROJECT_CONFIG,
      load: async () => (await import("../commands/config.ts")).configUnset,
    },
    {
      name: "path",
      description: "Print the path of the config file.",
      options: PROJECT_CONFIG,
      load: async () => (await import("../commands/config.ts")).configPath,
    },
  ],
};

const INSTALLED_PLUGINS: CommandDefinition = {
  name: "list",
  summary: "list skills installed as plugins",
  description: "List skills installed as plugins.",
  load: async () => {
    const { show } = await import("../commands/show.ts");
    const nothing = "No skills are installed as plugins.";
    return (context) => show(context, { names: [], scope: ["plugin"], nothing });
  },
};

const MANAGED: readonly CommandDefinition[] = [
  ...[ENABLE, DISABLE],
  ...HUB_COMMANDS.filter(({ name }) => name === "update" || name === "remove"),
  INSTALLED_PLUGINS,
];

const MANAGE: CommandDefinition = {
  name: "manage",
  summary: "the same as enable, disable, update, remove and show, in one command",
  description:
    "Enable, disable, update or remove skills, or list installed plugins; without an action, say what there is.",
  usage: "[enable|disable|update|remove|list] [options]",
  examples: ["manage", "manage disable gh", "manage update my-plugin"],
  actions: MANAGED,
  load: async () => async (context) => {
    const actions = MANAGED.map(({ name, summary = "", arguments: given = "" }) => {
      const usage = `${name} ${/<.*?>|\[.*?\]/.exec(given)?.[0] ?? ""}`.trimEnd();
      return { name, usage, description: summary };
    });
    return answer(context, { actions }, () =>
      actions.flatMap(({ usage, description }) => [`skillet manage ${usage}`, `    ${description}`]),
    );
  },
};

const VERSION: CommandDefinition = {
  name: "version",
  summary: "print the version",
  description: "Print the version.",
  load: async () => async (context) => answer(context, { version: context.version }, () => context.version),
};

/** Every command but `help`, under the headings of help, in order. */
export const DEFINITIONS: readonly (readonly [heading: string, commands: readonly CommandDefinition[]])[] = [
  ["Begin:", BEGIN_COMMANDS],
  ["Look:", [SHOW, EXPLAIN, SEARCH]],
  ["Sessions:", SESSION_COMMANDS],
  ["Check:", [VALIDATE, LINT, PREVIEW, SCAN, EVAL, ENRICH, SCHEMA, DOCTOR]],
  ["Install:", HUB_COMMANDS],
  ["Manage:", [ENABLE, DISABLE, TRUST, CONFIG, MANAGE]],
  ["Help:", [VERSION]],
];

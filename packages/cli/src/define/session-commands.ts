import type { CatalogBudget, CatalogFormat, PolicyMode } from "@skillet/core";
import { shellArgument } from "@skillet/kit/text";
import { InvalidArgumentError, type Option } from "commander";
import type { McpClient } from "../commands/serve.ts";
import { usageError } from "../context/cli-error.ts";
import {
  type CommandDefinition,
  duration,
  oneOf,
  parsedBy,
  wholeNumber,
  wordsOf,
} from "./command-definition.ts";

const SKILL = "name: <name>  a skill's name, qualified name, folder name or path (see --skills-root)";
const FORMATS = wordsOf<CatalogFormat>()(["xml", "xml-compact", "markdown", "tool", "json"]);
const MODES = oneOf(wordsOf<PolicyMode>()(["default", "plan", "locked"]));
const HOOK_AGENT = "agents: <agent...>  the agents, such as claude-code";
const HOOK_OPTIONS = `
      -y, --yes  do not ask
      --dry-run  show what would change, change nothing`;
const YES = "-y, --yes  do not ask where a rule asks";
// Limits of sessions and runs, repeated here so that help need not load them.
const MAX_READ_BYTES = 256_000;
const MAX_TIMEOUT_MS = 600_000;
const BUDGET = "tokens such as 2000, characters such as 8000c, or unlimited";
const TOOL_ROOT =
  "--tool-root <map>  HOST=SANDBOX: show skills in this folder as the agent's sandbox sees it (repeatable)";
const CLIENTS = wordsOf<McpClient>()([
  ...(["claude-code", "codex", "gemini-cli", "vscode"] as const),
  ...(["cursor", "antigravity", "zed", "amp", "cline"] as const),
]);
const MCP_OPTIONS = `
          --token-env <name>  with an address: the variable that holds the token
          --env <name>        with a command: a variable that it gets besides PATH, HOME and the like (repeatable)`;
const SANDBOXES = "bubblewrap, seatbelt, docker:IMAGE, ssh:DESTINATION or none";

// Splits at the last "=/", because a folder on this machine may have a "=" in its name.
const mapped = (option: Option): Option =>
  option.argParser((text: string, previous: Readonly<Record<string, string>> = {}) => {
    const [, host, tool] = /^(.+)=(\/.*)$/.exec(text) ?? [];
    if (host === undefined || tool === undefined)
      throw new InvalidArgumentError("Write FOLDER=/PATH/IN/SANDBOX, such as .=/workspace.");
    return { ...previous, [host]: tool };
  });

export const SESSION_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "catalog",
    summary: "print what a model is told about the skills",
    description: "Print the catalogue: what a model is told about the skills it may load.",
    options: `
      --format <form>    how it is written
      --guidance <how>   how the model is told to get at a skill
      --user-only        also list skills that only you can start, marked as such
      --budget <size>    how long it may be: ${BUDGET} (default: 8000c)
      --window <tokens>  the model's whole context, of which it gets 2 %
      --mode <mode>      as in a session of that mode
      ${TOOL_ROOT}
      --message <text>   what the person just said: skills that suit it are kept first
      --report           list what was shortened, left out and hidden instead`,
    read: {
      format: oneOf(FORMATS, { first: "default" }),
      guidance: oneOf(["load", "read", "none"], { first: "default" }),
      budget: parsedBy(parseBudget, `It can be ${BUDGET}.`),
      window: wholeNumber(0, 999_999_999, "Use a whole number."),
      mode: MODES,
      toolRoot: mapped,
    },
    examples: [
      "catalog --window 200000",
      "catalog --tool-root .=/workspace",
      'catalog --budget 500 --message "fill in a PDF form"',
      "catalog --mode plan --report",
    ],
    load: async () => (await import("../commands/catalog.ts")).catalog,
  },
  {
    name: "activate",
    summary: "print what a model receives when a skill is loaded",
    description:
      "Print exactly what a model receives when a skill is loaded; nothing is run and nothing recorded.",
    arguments: `
      name: <name>     a skill's name, qualified name, folder name, path or mention, such as /gh
      args: [args...]  arguments; a single one is taken as typed after the name`,
    options: `
      --source <source>  who loads it
      ${TOOL_ROOT}
      ${YES}`,
    read: { source: (option) => oneOf(["model", "user"])(option).default("user"), toolRoot: mapped },
    examples: ["activate hello-world", "activate fix-issue 123 high", "activate gh --source model"],
    load: async () => (await import("../commands/activate.ts")).activate,
  },
  {
    name: "read",
    summary: "print a file of a skill as a model gets it",
    description: "Print a file of a skill as a session gives it to a model, or say why it does not.",
    arguments: `
      ${SKILL}
      path: <path>  a file, relative to the skill's folder`,
    options: `
      --max-bytes <bytes>  read at most this many bytes, up to ${MAX_READ_BYTES} (default: 64000)
      ${TOOL_ROOT}`,
    read: {
      maxBytes: wholeNumber(0, MAX_READ_BYTES, `Use a whole number up to ${MAX_READ_BYTES}.`),
      toolRoot: mapped,
    },
    examples: ["read pdf references/fields.md", "read pdf big.csv --max-bytes 1000"],
    load: async () => (await import("../commands/read.ts")).read,
  },
  {
    name: "run",
    summary: "run a skill's script in a sandbox",
    description:
      "Run a script of a skill in a sandbox, exactly as it was checked. It reads the workspace and reaches nothing else unless you grant it.",
    usage: "<name> [path] [options] [-- args...]",
    arguments: `
      ${SKILL}
      path: [path]     the script, such as scripts/fill.py; all are listed unless given
      args: [args...]  arguments of the script, after --`,
    options: `
      --allow <script>     let this script run: skill:scripts/path (repeatable)
      --profile <name>     let the scripts of a profile of your config run
      --network <host>     let it reach this host, on :port or on 80 and 443 (repeatable)
      --writable <dir>     let it write into this folder; . is the workspace (repeatable)
      --secret <name>      pass on this variable, if the skill declares it (repeatable)
      --timeout <time>     end it after this time, such as 30s or 5m; a bare number is seconds (default: the config's)
      --sandbox <sandbox>  where it runs: ${SANDBOXES} (default: the system's)
      --cwd <folder>       where it starts: workspace, skill, or a folder in the workspace (default: workspace)
      --records <dir>      record the run into this folder
      --record-output      with --records: also keep what the script writes, without the secrets it was given
      -y, --yes            run it without asking`,
    read: {
      timeout: duration(MAX_TIMEOUT_MS),
      sandbox: parsedBy(parseSandbox, `It can be ${SANDBOXES}.`),
    },
    examples: [
      "run pdf scripts/fields.py -- tax.pdf",
      "run pdf scripts/fill.py --profile forms --writable . -- tax.pdf",
      "run news scripts/get.py --profile news --network api.example.org",
    ],
    load: async () => (await import("../commands/run.ts")).runOrListScripts,
  },
  {
    name: "check-tool",
    summary: "say whether the policy allows a tool call",
    description:
      "Say whether a tool call is allowed, asked about, denied or left to the agent while a skill is active.",
    arguments: `
      name: <name>    the active skill: its name, qualified name, folder name or path
      tool: <tool>    the tool, such as Bash or Read
      input: [input]  its command, path or address, in quotes; or a JSON object`,
    options: "--mode <mode>  as in a session of that mode; locked asks nothing",
    read: { mode: MODES },
    examples: [
      "check-tool gh Bash 'gh pr list'",
      "check-tool gh Bash 'git status && rm -rf x'",
      "check-tool gh Read README.md --mode locked",
    ],
    checkWords: ([name = "", tool = "", ...words]) => {
      if (words.length <= 1) return;
      const command = ["check-tool", name, tool, words.join(" ")].map(shellArgument).join(" ");
      const hint = `For example: skillet ${command}`;
      throw usageError("check-tool", "The input is one argument; put it in quotes.", hint);
    },
    load: async () => (await import("../commands/check-tool.ts")).checkTool,
  },
  {
    name: "agent",
    summary: "an agent that uses your skills",
    description:
      "Give a task to an agent that uses your skills, or talk to it. It reads the workspace; what it changes or runs, it asks about first.",
    arguments: "task: [task]  what to do; without it, a conversation on the terminal",
    options: `
      --prompt <text>               the task, instead of the argument
      --cwd <folder>                the folder in the workspace that it works in (default: the workspace)
      --skill <name>                load this skill first (repeatable, in this order)
      --no-skill-catalog            do not tell the model which skills there are
      --allow-tool <rule>           do not ask about these calls, such as Write or Bash(git status:*) (repeatable)
      --allow-skill-script <script>  let it run skill:scripts/path; needs --allow-tool run_skill_script (repeatable)
      --mode <mode>                 plan: change nothing; locked: only skills that are named, and no questions
      --profile <name>              use the skills of a profile of your config
      --resume <run>                go on with an earlier conversation: its folder, its name, or last
      --replay <file>               play a recorded conversation again instead of asking a model
      --records <dir>               keep the conversation and its records in this folder`,
    read: { mode: MODES },
    examples: [
      "agent",
      'agent "Write the release notes for 1.4" --skill write-changelog',
      'agent "Why does the build fail?" --allow-tool "Bash(npm run:*)"',
      "agent --resume last",
    ],
    load: async () => (await import("../commands/agent.ts")).agent,
  },
  {
    name: "serve",
    summary: "offer your skills to any client of the Model Context Protocol",
    description:
      "Serve your skills over MCP: as tools, prompts and resources. Over the standard streams, for a client that starts it itself; with --http on this machine, for several clients.",
    options: `
      --http                         listen on 127.0.0.1 instead, with a token that every request must send
      --port <port>                  with --http: this port (default: one that is free)
      --budget <size>                for the catalogue in the instructions: ${BUDGET} (default: 8000c)
      --allow-skill-script <script>  let models run this script: skill:scripts/path (repeatable)
      --print <client>               print what to put into this client's configuration
      --install <client>             show the client's own command that adds the server, and run it once you confirm
      -y, --yes                      with --install: do not ask`,
    read: {
      port: wholeNumber(1, 65_535, "Use a number from 1 to 65535."),
      budget: parsedBy(parseBudget, `It can be ${BUDGET}.`),
      print: oneOf(CLIENTS),
      install: oneOf(["claude-code", "codex", "gemini-cli"]),
    },
    examples: ["serve --print claude-code", "serve --http --port 4000", "serve --install codex"],
    load: async () => (await import("../commands/serve.ts")).serve,
  },
  {
    name: "mcp",
    summary: "use the skills of other MCP servers",
    description:
      "Use the skills of servers of the Model Context Protocol: they are listed as LABEL:NAME, and their files are fetched, verified and scanned when one is loaded.",
    actions: [
      {
        name: "add",
        summary: "ask a server for its skills from now on",
        description: "Ask a server for its skills, and keep it in your config under a label that you choose.",
        usage: "<label> <url> [options]\n       skillet mcp add <label> [options] -- <command...>",
        arguments: `
          label: <label>     what you call the server: a-z, 0-9 and hyphens
          words: <words...>  its address, or the command that starts it`,
        options: MCP_OPTIONS,
        examples: [
          "mcp add acme https://mcp.acme.example/mcp",
          "mcp add own --env API_KEY -- npx -y own-mcp@1.2.0",
        ],
        load: async () => (await import("../commands/mcp.ts")).addServer,
      },
      {
        name: "list",
        summary: "list the servers, and how many skills each has",
        description:
          "List the servers of your config, and how many skills each has, or why it cannot be asked.",
        load: async () => (await import("../commands/mcp.ts")).listServers,
      },
      {
        name: "verify",
        summary: "check a server against the skills extension",
        description:
          "Walk a server as a host that loads everything would, and print the checks of MCP's conformance kit. Exit 0: all passed; 1: some failed; 2: it could not be asked.",
        usage: "<label|url> [options]\n       skillet mcp verify [options] -- <command...>",
        arguments: "words: <words...>  a label, an address, or the command that starts the server",
        options: MCP_OPTIONS,
        examples: ["mcp verify http://127.0.0.1:3000/mcp --json", "mcp verify -- node server.mjs"],
        load: async () => (await import("../commands/mcp.ts")).verifyForeign,
      },
      {
        name: "remove",
        summary: "stop asking a server",
        description: "Remove a server from your config, and delete what was cached from it.",
        arguments: "label: <label>  as it is listed",
        load: async () => (await import("../commands/mcp.ts")).removeServer,
      },
    ],
    examples: ["mcp add acme https://mcp.acme.example/mcp", "mcp list", "mcp verify acme"],
  },
  {
    name: "hook",
    summary: "add Skillet's hooks to an agent that you already use",
    description:
      "Install hooks in an agent: they name the skills that fit each prompt, hold tool calls to what skills and your policy allow, and stop skills that changed or are dangerous.",
    actions: [
      {
        name: "install",
        summary: "add Skillet's hooks to an agent's settings",
        description: "Show the exact change to the agent's settings, and make it once you confirm.",
        arguments: HOOK_AGENT,
        options: HOOK_OPTIONS,
        load: async () => (await import("../commands/hook.ts")).installHooks,
      },
      {
        name: "remove",
        summary: "remove them again",
        description:
          "Take Skillet's hooks out of the agent's settings; everything else there stays as it is.",
        arguments: HOOK_AGENT,
        options: HOOK_OPTIONS,
        load: async () => (await import("../commands/hook.ts")).removeHooks,
      },
      {
        name: "status",
        summary: "say which agents have them",
        description: "Say which agents have Skillet's hooks, and what keeps them from being run.",
        load: async () => (await import("../commands/hook.ts")).showHooks,
      },
    ],
    examples: ["hook install claude-code --dry-run", "hook status", "hook remove claude-code"],
  },
  {
    name: "records",
    summary: "show what happened in a recorded run",
    description: "Show what happened in a run: what was loaded, read, run, asked and refused, in order.",
    arguments: "run: <run>  the folder of the recorded run",
    examples: ["records .skillet/runs/42", "records .skillet/runs/42 --json"],
    load: async () => (await import("../commands/records.ts")).records,
  },
];

/** Parses a budget: `2000` tokens, `8000c` characters, or `unlimited`; undefined if it is none of these. */
export function parseBudget(text: string): CatalogBudget | undefined {
  if (text === "unlimited") return "unlimited";
  const [, digits, unit] = /^(\d{1,9})(c?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return unit === "c" ? { characters: Number(digits) } : { tokens: Number(digits) };
}

// An ssh destination or docker image that begins with a dash would be taken for an option.
function parseSandbox(text: string): string | undefined {
  return /^(?:bubblewrap|seatbelt|none|(?:docker|ssh):[^-\s].*)$/.test(text) ? text : undefined;
}

// Runs the commands that people wait for, then keeps what V8 compiled for them: see bin/load-bundle.cjs.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Option } from "commander";
import bundleLoader from "./bin/load-bundle.cjs";

const dist = join(import.meta.dirname, "dist");
for (const file of readdirSync(dist)) if (file.endsWith(".code-cache")) rmSync(join(dist, file));
const { runSkillet, DEFINITIONS, AGENTS } = bundleLoader.loadBundle("main.cjs");

const home = mkdtempSync(join(tmpdir(), "skillet-build-"));
const skills = join(home, ".agents/skills");
const sink = { isTTY: false, write: () => true };

// Alone at first: V8 reads a cache whole, and of all commands this one is started most often.
const SHOWING = [["show"]];

const LOOKING = [["show", "--json"], ["explain", "odd-one"], ["catalog"], ["search", "builds things"]];

// They load much more, so that what they share with the others is kept before they run.
const WORKING = [
  ["validate", join(home, ".agents")],
  ["scan", join(home, ".agents")],
  ["install", join(home, "new/fresh-one"), "--yes"],
  ["verify"],
  ["disable", "odd-one"],
  ["help"],
];

try {
  // The ways that headers usually are: with a requirement and an unquoted colon, with lists and blocks, in quotes.
  for (const [name, header] of Object.entries({
    "odd-one": "description: Builds: things.\nmetadata: {requires: {bins: [no-such-command]}}\n",
    "long-one": `description: >-\n  ${"Builds longer things. ".repeat(20)}\nlicense: MIT\nallowed-tools:\n  - Read\n  - Bash\ntags: [a, b]\n`,
    "quoted-one":
      'description: "It\\"s \u2713 quoted."\nversion: 1.0.0\nmetadata:\n  openclaw:\n    emoji: "x"\n    requires: {"env": ["TOKEN"], "bins": ["sh"]}\n    install: [{"id": "brew", "kind": "brew", "bins": ["sh"]}]\n',
  })) {
    mkdirSync(join(skills, name), { recursive: true });
    writeFileSync(join(skills, name, "SKILL.md"), `---\nname: ${name}\n${header}---\n\n# Odd \u2713\n`);
  }
  mkdirSync(join(home, ".claude"));
  symlinkSync(skills, join(home, ".claude/skills"));
  mkdirSync(join(home, "new/fresh-one"), { recursive: true });
  writeFileSync(
    join(home, "new/fresh-one/SKILL.md"),
    "---\nname: fresh-one\ndescription: Does things.\n---\n\n# Fresh\n",
  );
  // The first time it scans, in a process of its own: what only that needs would make every later start longer.
  execFileSync(process.execPath, [join(import.meta.dirname, "bin/skillet.cjs"), "show"], {
    cwd: home,
    env: { HOME: home, PATH: process.env.PATH },
  });
  for (const commands of [SHOWING, LOOKING, WORKING]) {
    // Twice, so that the way with a warm discovery cache is in it too.
    for (const argv of [...commands, ...commands])
      await runSkillet(argv, {
        version: "0.0.0",
        stdout: sink,
        stderr: sink,
        environment: { HOME: home, PATH: process.env.PATH },
        workingDirectory: home,
      });
    for (const [name, { script }] of bundleLoader.loaded)
      if (!existsSync(bundleLoader.codeCache(name)))
        writeFileSync(bundleLoader.codeCache(name), script.createCachedData());
  }
  await answerHooks();
  writeFileSync(join(dist, "completion.json"), JSON.stringify(await describeCommands()));
} finally {
  rmSync(home, { recursive: true });
}

/** The ways that hooks usually go: a prompt, and calls before and after which nothing or something is to be said. */
async function answerHooks() {
  const { runHook } = bundleLoader.loadBundle("answer-hook.cjs");
  const session = { session_id: "build", cwd: home };
  const call = (tool_name, tool_input) => ({ ...session, tool_name, tool_input });
  const events = [
    ["SessionStart", { ...session, source: "startup" }],
    ["UserPromptSubmit", { ...session, prompt: "please build things" }],
    ["PreToolUse", call("Bash", { command: "git log --oneline | head -5" })],
    ["PostToolUse", call("Skill", { skill: "long-one" })],
    ["PreToolUse", call("Bash", { command: "cd /tmp && git push origin main" })],
    ["PreToolUse", call("Read", { file_path: join(skills, "long-one/SKILL.md") })],
    ["PostToolUse", call("Bash", { command: `cat ${join(skills, "long-one/SKILL.md")}` })],
  ];
  for (const [name, input] of [...events, ...events])
    await runHook(["claude-code", name], {
      environment: { HOME: home, PATH: process.env.PATH },
      readInput: () => Buffer.from(JSON.stringify(input)),
      write: () => undefined,
      loadMaking: () => bundleLoader.loadBundle("hooking.cjs"),
    });
  for (const [name, { script }] of bundleLoader.loaded)
    if (/^(?:answer-hook|hook-)/.test(name))
      writeFileSync(bundleLoader.codeCache(name), script.createCachedData());
}

/** Which names a command accepts: `any`, the person's and the project's `own`, or only what is `installed`. */
function whichSkills({ name, options = "" }) {
  if (["remove", "uninstall", "adopt"].includes(name)) return "own";
  return name === "allow" || /the project's skillet\.lock/.test(options) ? "installed" : "any";
}

/** What bin/complete.cjs needs to know of the commands and agents. */
async function describeCommands() {
  const read = async (argv) => {
    let text = "";
    const stdout = { isTTY: false, write: (part) => (text += part) };
    const environment = { HOME: join(home, "none") };
    await runSkillet([...argv, "--json"], {
      version: "",
      stdout,
      stderr: sink,
      environment,
      workingDirectory: home,
    });
    return JSON.parse(text);
  };
  const flagsOf = ({ options = "" }) =>
    options
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const long = (line) => /--[\w-]+/.exec(line)?.[0] ?? [];
  const rows = DEFINITIONS.flatMap(([, commands]) => commands).flatMap((definition) => {
    const { name, aliases = [], actions = [] } = definition;
    const lines = [definition, ...actions].flatMap(flagsOf);
    const choices = [definition, ...actions].flatMap((one) =>
      flagsOf(one).flatMap((line) => {
        const [flag] = [long(line)].flat();
        const field = flag?.slice(2).replace(/-(.)/g, (_, letter) => letter.toUpperCase());
        const option = one.read?.[field]?.(new Option(`${flag} <value>`, ""));
        const listed = / \(repeatable\): (.*)$/.exec(option?.description ?? "")?.[1].split(", ");
        const words = flag === "--agent" ? AGENTS.map(({ id }) => id) : (option?.argChoices ?? listed);
        return words === undefined ? [] : [[flag, words]];
      }),
    );
    const row = {
      options: lines.flatMap(long),
      choices: Object.fromEntries(choices),
      flags: lines.filter((line) => !/--[\w-]+ </.test(line)).flatMap(long),
      actions: actions.map((action) => action.name),
      skills:
        name !== "new" &&
        [definition, ...actions].some(({ arguments: text = "" }) => /^\s*names?: /m.test(text)) &&
        whichSkills(definition),
    };
    return [name, ...aliases].map((word) => [word, row]);
  });
  const places = { userHome: "/", environment: {} };
  const user = AGENTS.flatMap((agent) => agent.userReads(places));
  return {
    commands: {
      ...Object.fromEntries(rows),
      help: { options: ["--all"], choices: {}, flags: ["--all"], actions: [], skills: false },
    },
    options: [
      "--json",
      "--skills-root",
      "--workspace",
      "--color",
      "--no-color",
      "--debug",
      "--help",
      "--version",
    ],
    hookAgents: (await read(["hook", "status"])).agents.map(({ agent }) => agent),
    configKeys: (await read(["config", "list"])).values.map(({ key }) => key),
    folders: {
      user: [...new Set([...user, "/.skillet/skills", "/.skillet/plugins"])],
      project: [...new Set([".skillet/skills", ...AGENTS.flatMap(({ projectReads }) => projectReads)])],
    },
  };
}

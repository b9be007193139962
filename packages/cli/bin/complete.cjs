"use strict";
// Answers a shell on every Tab, so that it loads nothing else: names of skills are those of their folders, and what the
// commands take was written down by the build (dist/completion.json).
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { dirname, join } = require("node:path");

const MAX_NAMES = 5_000;
const MAX_LEVELS = 64;
const VALUED = ["--workspace", "--skills-root"];

/** The script that a shell reads once. */
exports.script = (shell) => readFileSync(join(__dirname, "../completion", `skillet.${shell}`), "utf8");

/** Prints what can stand for the last of the words, one a line; a name with a control character is left out. */
exports.complete = (words) => {
  const found = candidates(
    JSON.parse(readFileSync(join(__dirname, "../dist/completion.json"), "utf8")),
    words,
  );
  const current = words.at(-1) ?? "";
  const shown = [...new Set(found)].filter(
    (word) => word.startsWith(current) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(word),
  );
  process.stdout.write(shown.map((word) => `${word}\n`).join(""));
};

function candidates({ commands, options, hookAgents, folders, configKeys }, words) {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const typed = before.filter((word, index) => !word.startsWith("-") && !VALUED.includes(before[index - 1]));
  const names = Object.keys(commands);
  if (typed.length === 0) return current.startsWith("-") ? options : names;
  const command = commands[typed[0]];
  if (typed[0] === "help") return names;
  if (command === undefined) return [];
  if (current.startsWith("-")) return [...command.options, ...options];
  const previous = before.at(-1) ?? "";
  if (typed[0] === "hook" && typed.length >= 2) return typed[1] === "status" ? [] : hookAgents;
  if (command.choices[previous] !== undefined) return command.choices[previous];
  if (["--approve", "--withdraw"].includes(previous)) return skillNames(folders);
  if (command.options.includes(previous) && !command.flags.includes(previous)) return [];
  if (command.actions.length > 0 && typed.length === 1) return command.actions;
  if (typed[0] === "config") return typed.length === 2 && typed[1] !== "path" ? configKeys : [];
  if (["run", "read"].includes(typed[0]) && typed.length === 2) return filesOf(typed[1], typed[0], folders);
  return command.skills ? skillNames(folders, command.skills) : [];
}

/** The scripts of the first skill of that name; for `read`, its other folders too. */
function filesOf(name, command, folders) {
  const parts = command === "run" ? ["scripts"] : ["scripts", "references", "assets"];
  // A name is one folder: it must not lead elsewhere.
  const skill =
    /^[^/\\]+$/.test(name) && !/^\.+$/.test(name)
      ? skillPlaces(folders)
          .map((place) => join(place, name))
          .find(existsSync)
      : undefined;
  if (skill === undefined) return [];
  return parts
    .flatMap((part) =>
      listPlace(join(skill, part), (entry) => entry.isFile()).map((file) => `${part}/${file}`),
    )
    .slice(0, MAX_NAMES);
}

function skillNames(folders, which) {
  if (which === "installed") return installedNames();
  const isSkill = (entry) => entry.isDirectory() || entry.isSymbolicLink();
  // What comes with Skillet or with a plugin of an agent can be disabled, but neither removed nor adopted.
  const [places, plugins] =
    which === "own" ? [ownPlaces(folders), []] : [skillPlaces(folders), pluginFolders()];
  const ofPlugins = plugins.flatMap(({ plugin, folder }) => {
    const isCommand = (entry) => entry.isFile() && entry.name.endsWith(".md");
    const commands = listPlace(join(folder, "commands"), isCommand).map((name) => name.slice(0, -3));
    const names = [...listPlace(join(folder, "skills"), isSkill), ...commands];
    return names.map((name) => `${plugin}:${name}`);
  });
  return [...places.flatMap((place) => listPlace(place, isSkill)), ...ofPlugins].slice(0, MAX_NAMES);
}

const userHome = () => process.env.HOME ?? homedir();
const skilletHome = () => process.env.SKILLET_HOME ?? join(userHome(), ".skillet");

/** Names in the user's lock and the project's; a lock that cannot be read has none. */
function installedNames() {
  const locks = [join(skilletHome(), "lock.json"), ...placesAbove(["skillet.lock"])];
  return locks
    .flatMap((file) => Object.keys(readJson(file)?.skills ?? {}))
    .filter((name) => !name.startsWith("-"))
    .slice(0, MAX_NAMES);
}

function skillPlaces(folders) {
  const ofPlugins = pluginFolders().map(({ folder }) => join(folder, "skills"));
  return [...ownPlaces(folders), ...ofPlugins, join(__dirname, "../dist/skills")];
}

function ownPlaces({ user, project }) {
  return [...user.map((folder) => join(userHome(), folder)), ...placesAbove(project)];
}

/** Where these paths may lie in the project around the working directory. */
function placesAbove(paths) {
  const home = userHome();
  const places = [];
  let folder = process.cwd();
  for (let level = 0; level < MAX_LEVELS && folder !== home; level += 1) {
    places.push(...paths.map((path) => join(folder, path)));
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return places;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === undefined && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** The plugins that Skillet or Claude Code installed, whose skills lie in their own folders. */
function pluginFolders() {
  const ours = join(skilletHome(), "plugins");
  const own = listPlace(ours, (entry) => entry.isDirectory());
  const folders = own.map((plugin) => ({ plugin, folder: join(ours, plugin) }));
  try {
    const { plugins } = readJson(join(userHome(), ".claude/plugins/installed_plugins.json")) ?? {
      plugins: {},
    };
    const theirs = Object.entries(plugins).flatMap(([id, records]) =>
      [records].flat().map(({ installPath }) => ({ plugin: id.split("@")[0], folder: join(installPath) })),
    );
    return [...folders, ...theirs];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return folders;
  }
}

function listPlace(place, isMeant) {
  try {
    return (
      readdirSync(place, { withFileTypes: true })
        // One that begins with a dash would be inserted as an option.
        .filter((entry) => !/^[.-]/.test(entry.name) && isMeant(entry))
        .map(({ name }) => name)
    );
  } catch (error) {
    if (error.code === undefined) throw error;
    return [];
  }
}

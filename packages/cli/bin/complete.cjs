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
  return command.skills ? skillNames(folders) : [];
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

function skillNames(folders) {
  const isSkill = (entry) => entry.isDirectory() || entry.isSymbolicLink();
  return skillPlaces(folders)
    .flatMap((place) => listPlace(place, isSkill))
    .slice(0, MAX_NAMES);
}

function skillPlaces({ user, project }) {
  const home = process.env.HOME ?? homedir();
  const places = user.map((folder) => join(home, folder));
  let folder = process.cwd();
  for (let level = 0; level < MAX_LEVELS && folder !== home; level += 1) {
    places.push(...project.map((path) => join(folder, path)));
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return [...places, ...pluginPlaces(home), join(__dirname, "../dist/skills")];
}

/** The skills of Claude Code's plugins lie in their own folders. */
function pluginPlaces(home) {
  try {
    const { plugins } = JSON.parse(
      readFileSync(join(home, ".claude/plugins/installed_plugins.json"), "utf8"),
    );
    return Object.values(plugins)
      .flat()
      .map(({ installPath }) => join(installPath, "skills"));
  } catch (error) {
    if (error.code === undefined && !(error instanceof SyntaxError) && !(error instanceof TypeError))
      throw error;
    return [];
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

import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { stateOf } from "@skillet/core/internal";
import type { FindInstalled } from "@skillet/hub";
import { openPlaces } from "@skillet/kit/files";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import type { CommandContext } from "../context/command-context.ts";
import { readInstalled } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";
import { createLinkCure } from "../hub/installed-from.ts";
import { filesOf } from "../trust/open-to-others.ts";
import { warnedWords } from "../ui/skill-list.ts";
import { limitHint, MAX_WAITING, trustCommand } from "../ui/skill-notices.ts";
import {
  isDangerous,
  type Readers,
  readBy,
  type SkillFacts,
  stillLoaded,
  verdictWords,
  waitingForTrust,
} from "../ui/skill-state.ts";
import { count } from "../ui/text.ts";
import { checkOpen } from "./check-machine.ts";
import { type Finding, findingOf, ok, problem, warning } from "./finding.ts";

export async function checkSkills(context: CommandContext, skills: Skills): Promise<readonly Finding[]> {
  const find = await readInstalled(context, skills);
  return [
    ...[...checkRoots(skills), ...checkOpen("roots", await openToOthers(context, skills))],
    ...[...(await checkFailures(skills, find)), ...checkNames(context, skills)],
  ];
}

async function openToOthers({ environment }: CommandContext, skills: Skills): Promise<readonly string[]> {
  const { home, project, reader, snapshot } = skills;
  const own = snapshot.skills.filter((skill) => skill.scope !== "bundled" && !reader.isRemote(skill));
  const roots = snapshot.roots.filter(({ scope }) => scope !== "bundled").map(({ path }) => path);
  const tops = [resolveHome(environment).userHome, ...(project ? [project.root] : [])];
  const open = openPlaces([...roots, ...(await filesOf(skills, own))], { tops });
  // These are checked separately.
  return open.filter((place) => place !== home && !tops.includes(place));
}

function checkRoots({ snapshot: { roots } }: Skills): readonly Finding[] {
  const bad = roots.filter(({ state }) => state === "unreadable");
  const scanned = roots.filter(({ state }) => state === "scanned").length;
  const absent = roots.length - scanned - bad.length;
  return [
    ok("roots", `${count(scanned, "root")} searched, ${absent} more do not exist`),
    ...bad.map(({ path: file, scope }) => {
      const isServer = file.startsWith("mcp://");
      const hint = isServer
        ? "See why: skillet mcp list"
        : "Change its permissions, or take it out of the config.";
      return problem("roots", `the ${scope} root cannot be read`, hint, { file });
    }),
  ];
}

async function checkFailures(skills: Skills, find: FindInstalled): Promise<readonly Finding[]> {
  const cured = await createLinkCure(skills, find);
  const { snapshot } = skills;
  const faults = snapshot.diagnostics.filter(({ severity }) => severity !== "info");
  const loaded = `${count(snapshot.skills.length, "skill")} loaded`;
  return [
    ok("skills", [loaded, ...warnedWords(snapshot.skills)].join(", ")),
    ...faults.map(cured).map((fault) => {
      const hint = [fault.hint, limitHint(skills, fault)?.concat(".")].filter(Boolean).join(" ");
      const { hint: _, ...finding } = findingOf("skills", fault);
      return { ...finding, message: `${fault.code}: ${fault.message}`, ...(hint !== "" && { hint }) };
    }),
  ];
}

function checkNames(context: CommandContext, skills: Skills): readonly Finding[] {
  const { readersOf } = openAgentsOf(context, skills);
  return skills.snapshot.skills.flatMap((skill) => {
    const { qualifiedName: name, shadowedBy, path: file, state } = skill;
    const readers = readersOf(skill);
    const shadow = stateOf(skill, undefined) === "shadowed" ? `shadowed by ${shadowedBy}; ` : "";
    // Skillet's lenient loading accepts the name, but the agent that owns the folder does not.
    const isUnread = readers.loading.length === 0 && readers.refusedBy.length > 0 && state !== "disabled";
    if (shadow === "" && !isUnread) return [];
    const message = `${name} is ${shadow}${readBy(readers) || "no agent reads it"}`;
    return warning("names", message, `See why: skillet explain ${shellArgument(name)}`, { file });
  });
}

/** Scans every unknown skill: malware, and changes since a skill was trusted, are problems. */
export async function checkScans(context: CommandContext, skills: Skills): Promise<readonly Finding[]> {
  const { readersOf } = openAgentsOf(context, skills);
  const all = skills.snapshot.skills.filter((skill) => !skills.reader.isRemote(skill));
  const known = await vetShown(context, skills, all, { maxScanned: all.length });
  const findings = all.flatMap((skill) => scanFindings(skill, known.get(skill), readersOf(skill)));
  const unscanned = all.filter((skill) => skill.scope !== "bundled" && !known.has(skill)).length;
  if (unscanned > 0)
    findings.push(
      problem("scan", `${count(unscanned, "skill")} could not be scanned`, "Repair what is reported above."),
    );
  if (findings.every(({ status }) => status === "ok") && known.size > 0)
    findings.push(ok("scan", `${count(known.size, "skill")} scanned, none withheld`));
  return [...checkProject(skills, known), ...findings];
}

function scanFindings(skill: Skill, known: SkillFacts | undefined, readers: Readers): Finding[] {
  if (known === undefined) return [];
  const { qualifiedName: name, path: file } = skill;
  const { trusted } = known;
  const found: Finding[] = trusted === undefined ? [] : [ok("project", `${name} is trusted: ${trusted}`)];
  if (known.verdict === "dangerous" || known.withheld !== undefined) {
    const { who, stop } = stillLoaded(skill, known, readers) ?? {};
    const instead = stop === undefined ? "" : `. Keep it from agents: ${stop}`;
    // A disabled skill that no agent reads can do no harm.
    const isOff = skill.state === "disabled" && readers.loading.length === 0;
    const tell = isDangerous(known) && !isOff ? problem : warning;
    const why = `Read why: skillet explain ${shellArgument(name)}${instead}`;
    const message = `${name} is ${verdictWords(known)}${isOff ? ", and disabled" : ""}${who === undefined ? "" : `; ${who}`}`;
    found.push(tell("scan", message, why, { file }));
  }
  if (known.changed !== undefined) {
    const hint = `See which file: skillet explain ${shellArgument(name)}. Then decide again: skillet trust`;
    found.push(problem("scan", `${name} changed since you trusted it`, hint, { file }));
  }
  return found;
}

function checkProject({ project, snapshot }: Skills, known: ReadonlyMap<Skill, SkillFacts>): Finding[] {
  if (project === undefined) return [];
  const { root: file } = project;
  const waiting = waitingForTrust(snapshot.skills, known);
  const isChanged = [...known.values()].some(({ changed }) => changed !== undefined);
  // A changed skill also waits for trust, and has a line of its own.
  if (waiting.length === 0) return isChanged ? [] : [ok("project", "no skill waits for trust", file)];
  const them = waiting.length === 1 ? "it" : "them";
  const message = `${count(waiting.length, "skill")} not offered until you trust ${them}: ${listFirst(waiting, MAX_WAITING)}`;
  return [warning("project", message, `Look and decide: ${trustCommand(file)}`, { file })];
}

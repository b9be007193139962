import type { Skills } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { reachedLimit } from "../reached-limit.ts";
import { skillWarnings } from "../skill-warnings.ts";
import { trustCommand } from "../trust-command.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import { count } from "../ui/skill-state.ts";
import type { Finding } from "./finding.ts";

/** What the roots, the files that did not load, the names and the project say. */
export function checkSkills(skills: Skills): readonly Finding[] {
  return [...checkRoots(skills), ...checkFailures(skills), ...checkNames(skills), ...checkProject(skills)];
}

function checkRoots(skills: Skills): readonly Finding[] {
  const { roots } = skills.snapshot;
  const bad = roots.filter(({ state }) => state === "unreadable");
  const scanned = roots.filter(({ state }) => state === "scanned");
  const absent = roots.length - scanned.length - bad.length;
  return [
    {
      check: "roots",
      status: "ok",
      message: `${count(scanned.length, "root")} searched, ${absent} not there`,
    },
    ...bad.map(
      ({ path, scope }): Finding => ({
        check: "roots",
        status: "problem",
        message: `the ${scope} root cannot be read`,
        hint: "Change its permissions, or take it out of the config.",
        file: path,
      }),
    ),
  ];
}

function checkFailures(skills: Skills): readonly Finding[] {
  const { snapshot } = skills;
  const faults = snapshot.diagnostics.filter(({ severity }) => severity !== "info");
  const warned = snapshot.skills.filter((skill) => skillWarnings(skill).length > 0);
  const note = warned.length > 0 ? `, ${warned.length} with warnings (skillet explain NAME shows them)` : "";
  const message = `${count(snapshot.skills.length, "skill")} loaded${note}`;
  return [
    { check: "skills", status: "ok", message },
    ...faults.map((fault) => fromDiagnostic(skills, fault)),
  ];
}

function fromDiagnostic(skills: Skills, diagnostic: Diagnostic): Finding {
  const { severity, code, message, file, range } = diagnostic;
  const hints = [diagnostic.hint, limitHint(skills, diagnostic)].filter((hint) => hint !== undefined);
  return {
    check: "skills",
    status: severity === "error" ? "problem" : "warning",
    message: `${code}: ${message}`,
    ...(hints.length > 0 && { hint: hints.join(" ") }),
    file,
    ...(range && { line: range.line, column: range.column }),
  };
}

// Whoever is told to raise a limit has to know which file lowered it.
function limitHint(skills: Skills, diagnostic: Diagnostic): string | undefined {
  const { key, file, line } = reachedLimit(skills, diagnostic) ?? {};
  if (file === undefined) return undefined;
  return `${key} is set in ${file}${line === undefined ? "" : `:${line}`}.`;
}

function checkNames(skills: Skills): readonly Finding[] {
  const { snapshot } = skills;
  return snapshot.skills
    .filter(({ shadowedBy }) => shadowedBy !== undefined)
    .map(({ qualifiedName, shadowedBy, path }) => ({
      check: "names",
      status: "warning",
      message: `${qualifiedName} is shadowed by ${shadowedBy}`,
      hint: `Use it as ${qualifiedName}, or disable one: skillet explain ${shellQuote(qualifiedName)}`,
      file: path,
    }));
}

function checkProject(skills: Skills): readonly Finding[] {
  const { project, snapshot } = skills;
  if (project === undefined) return [];
  const waiting = snapshot.skills.filter(({ state }) => state === "untrusted").length;
  if (waiting === 0)
    return [{ check: "project", status: "ok", message: "no skill waits for trust", file: project.root }];
  return [
    {
      check: "project",
      status: "warning",
      message: `${count(waiting, "skill")} not offered until you trust ${waiting === 1 ? "it" : "them"}`,
      hint: `Look and decide: ${trustCommand(project.root)}`,
      file: project.root,
    },
  ];
}

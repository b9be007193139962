import { posix, resolve } from "node:path";
import type { PreparedScript, ScriptRunner, ScriptToRun, Skill, Skills } from "@skillet/core";
import {
  type AllowedScript,
  changeAllowedScripts,
  parseScriptReference,
  readAllowedScripts,
} from "@skillet/core/internal";
import { canonicalPath } from "@skillet/kit/files";
import type { CommandContext } from "../context/command-context.ts";
import { askOnTerminal } from "../context/create-ask.ts";
import { lookUpSkill } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";
import { showSentence } from "../ui/text.ts";
import type { RunCommandOptions } from "./open-script-runner.ts";

type Answer = "yes" | "remembered" | "no" | "unasked";

/**
 * Asks the user about a script that neither a flag nor a profile lists. Asks only after the files are staged
 * and verified, so that a missing script is reported as missing, and the answer is about exactly these bytes.
 */
export function withConsent(
  context: CommandContext,
  options: RunCommandOptions,
  { runner, skills, skill }: { runner: ScriptRunner; skills: Skills; skill: Skill },
): { readonly runner: ScriptRunner; answer(): Answer | undefined } {
  let answer: Answer | undefined;
  const name = `${skill.qualifiedName}:${posix.normalize(options.path)}`;
  const { profile = "", allow = [] } = options;
  const { scripts = [], hostScripts = [] } = skills.config.config.profiles[profile] ?? {};
  const isListed = [...allow, ...scripts, ...hostScripts].some((one) => {
    const listed = parseScriptReference(one);
    if (listed === undefined || !name.endsWith(`:${listed.path}`)) return false;
    const found = lookUpSkill(skills, listed.skill, context.workspace);
    return found.kind === "found" && found.skill === skill;
  });
  if (isListed || parseScriptReference(name) === undefined) return { runner, answer: () => undefined };
  const prepare: ScriptRunner["prepare"] = async (script) => {
    const prepared = await runner.prepare(script);
    if ("status" in prepared) return prepared;
    answer = await decide(context, options, { home: skills.home, script, prepared });
    if (answer === "yes" || answer === "remembered") return prepared;
    const why = "is not allowed yet, and there is no terminal to ask on";
    const message = `${name} ${answer === "no" ? "was not run: you declined" : why}.`;
    return { status: "refused", code: "script-not-allowlisted", message };
  };
  return { runner: { allow: [...runner.allow, name], prepare }, answer: () => answer };
}

async function decide(
  { dialog, environment, workspace }: CommandContext,
  options: RunCommandOptions,
  { home, script, prepared }: { home: string; script: ScriptToRun; prepared: PreparedScript },
): Promise<Answer> {
  const { path } = script;
  const { treeDigest: digest, qualifiedName: skill } = script.skill;
  if (options.yes === true) return "yes";
  const { runtime, sandbox = "none", place } = prepared;
  const isBoxed = sandbox !== "none";
  const box = isBoxed ? `in the sandbox ${sandbox}` : "without a sandbox";
  const where = place === undefined ? box : `${box} on ${place}`;
  const { writable = [] } = options;
  // Resolves folders, so that they mean the same wherever the command is started.
  const folders = writable.map((folder) => canonicalPath(resolve(workspace, folder)));
  const grants = [where, ...grantsOf({ ...options, writable: folders })];
  // An approval covers only the grants it was given for, and never a run without a sandbox.
  const isAgreed = (one: AllowedScript): boolean =>
    one.digest === digest && one.path === path && grants.every((grant) => one.grants?.includes(grant));
  const earlier = readAllowedScripts(home).filter((one) => one.skill === skill && one.path === path);
  if (isBoxed && readAllowedScripts(home).some(isAgreed)) return "remembered";
  if (dialog === undefined) return "unasked";
  const whole = canonicalPath(workspace);
  const named = folders.map((folder) =>
    folder === whole ? `into the workspace ${folder}` : `into ${folder}`,
  );
  // Without a sandbox, grants limit nothing.
  const may = isBoxed ? grantsOf({ ...options, writable: named }) : ["do anything that you may"];
  const question = `${skill}:${path} wants to run with ${runtime} ${where}${may.length > 0 ? `; it may ${may.join(", and ")}` : ""}.`;
  const isSame = earlier.some((one) => one.digest === digest);
  const why = isSame ? "this run is given more, or runs elsewhere" : "a file of the skill changed since then";
  const lapsed = earlier.length === 0 ? "" : ` You said always before, but ${why}.`;
  const always = isBoxed ? " a: always while no file of the skill changes," : "";
  const typed = await askOnTerminal(
    dialog,
    `${showSentence(question, environment)}${lapsed} Run it? y: this time,${always} n: no [y/${isBoxed ? "a/" : ""}N]`,
  );
  if (/^y(?:es)?$/i.test(typed ?? "")) return "yes";
  if (!isBoxed || !/^a(?:lways)?$/i.test(typed ?? "")) return "no";
  const allowed = { skill, allowedAt: new Date().toISOString(), grants };
  const decision = { action: "approve", skill, digest, path, decision: "allow" } as const;
  await recordAndApply(home, { ...decision, reason: "may run without a question" }, () =>
    changeAllowedScripts(home, (scripts) => scripts.set(`${digest} ${path}`, allowed)),
  );
  return "yes";
}

function grantsOf({ network = [], writable = [], secret = [] }: RunCommandOptions): readonly string[] {
  const granted = [["reach", network] as const, ["write", writable] as const, ["have", secret] as const];
  return granted.flatMap(([verb, list]) => list.map((one) => `${verb} ${one}`));
}

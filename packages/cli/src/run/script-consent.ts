import { posix } from "node:path";
import type { PreparedScript, ScriptRunner, ScriptToRun, Skill, Skills } from "@skillet/core";
import { changeAllowedScripts, parseScriptReference, readAllowedScripts } from "@skillet/core/internal";
import type { CommandContext } from "../context/command-context.ts";
import { askOnTerminal } from "../context/create-ask.ts";
import { lookUpSkill } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";
import { showSentence } from "../ui/text.ts";
import type { RunCommandOptions } from "./open-script-runner.ts";

type Answer = "yes" | "remembered" | "no" | "unasked";

/**
 * Puts the person at the terminal in charge of a script that neither a flag nor a profile lists. It is asked when the
 * files are staged and verified, so a missing script is reported as missing, and the answer is about exactly these bytes.
 */
export function withConsent(
  context: CommandContext,
  options: RunCommandOptions,
  { runner, skills, skill }: { runner: ScriptRunner; skills: Skills; skill: Skill | undefined },
): { readonly runner: ScriptRunner; answer(): Answer | undefined } {
  let answer: Answer | undefined;
  const name = `${skill?.qualifiedName}:${posix.normalize(options.path)}`;
  const { profile = "", allow = [] } = options;
  const { scripts = [], hostScripts = [] } = skills.config.config.profiles[profile] ?? {};
  const isListed = [...allow, ...scripts, ...hostScripts].some((one) => {
    const listed = parseScriptReference(one);
    if (listed === undefined || !name.endsWith(`:${listed.path}`)) return false;
    const found = lookUpSkill(skills, listed.skill, context.workspace);
    return found.kind === "found" && found.skill === skill;
  });
  if (isListed || skill === undefined || parseScriptReference(name) === undefined)
    return { runner, answer: () => undefined };
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
  { dialog, json, environment }: CommandContext,
  options: RunCommandOptions,
  { home, script, prepared }: { home: string; script: ScriptToRun; prepared: PreparedScript },
): Promise<Answer> {
  const { path } = script;
  const { treeDigest: digest, qualifiedName: skill } = script.skill;
  if (options.yes === true) return "yes";
  if (readAllowedScripts(home).some((one) => one.digest === digest && one.path === path)) return "remembered";
  if (dialog === undefined || json) return "unasked";
  const { runtime, sandbox = "", place } = prepared;
  const box = sandbox === "none" ? "without a sandbox" : `in the sandbox ${sandbox}`;
  const where = place === undefined ? box : `${box} on ${place}`;
  const question = `${skill}:${path} wants to run with ${runtime} ${where}${grantsOf(options)}.`;
  const typed = await askOnTerminal(
    dialog,
    `${showSentence(question, environment)} Run it? y: this time, a: always while no file of the skill changes, n: no [y/a/N]`,
  );
  if (/^y(?:es)?$/i.test(typed ?? "")) return "yes";
  if (!/^a(?:lways)?$/i.test(typed ?? "")) return "no";
  const allowed = { skill, allowedAt: new Date().toISOString() };
  const decision = { action: "approve", skill, digest, path, decision: "allow" } as const;
  await recordAndApply(home, { ...decision, reason: "may run without a question" }, () =>
    changeAllowedScripts(home, (scripts) => scripts.set(`${digest} ${path}`, allowed)),
  );
  return "yes";
}

function grantsOf({ network = [], writable = [], secret = [] }: RunCommandOptions): string {
  const granted = [["reach", network] as const, ["write", writable] as const, ["have", secret] as const]
    .filter(([, list]) => list.length > 0)
    .map(([verb, list]) => `${verb} ${list.join(", ")}`);
  return granted.length === 0 ? "" : `; it may ${granted.join(", and ")}`;
}

import { posix } from "node:path";
import type { PreparedScript, ScriptRunner, ScriptToRun, Skill, Skills } from "@skillet/core";
import { changeStore, parseScriptReference, readStore, type StoreFormat } from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { object, oneOf, record, refine, scalar, text, time } from "@skillet/kit/schema";
import type { CommandContext } from "../context/command-context.ts";
import { askOnTerminal } from "../context/create-ask.ts";
import { lookUpSkill } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";
import { showSentence } from "../ui/text.ts";
import type { RunCommandOptions } from "./open-script-runner.ts";

/** A script that a person lets run without being asked again, as long as no byte of its skill changes. */
export interface AllowedScript {
  readonly digest: Digest;
  readonly path: string;
  /** The skill's name then, for people. */
  readonly skill: string;
  readonly allowedAt: string;
}

type Key = `${Digest} ${string}`;
type Stored = Omit<AllowedScript, "digest" | "path">;

const key = scalar("a digest and a script", (value) =>
  typeof value === "string" && /^sha256:[0-9a-f]{64} scripts\/./.test(value) ? value : undefined,
);
const document = object<{ version: number; scripts: Readonly<Record<string, Stored>> }>(
  {
    version: oneOf([1]),
    scripts: record(object<Stored>({ skill: text, allowedAt: time }, { unknown: "refuse" }), { key }),
  },
  { unknown: "refuse" },
);

const FORMAT: StoreFormat<Key, AllowedScript> = {
  fileName: "scripts.json",
  schema: refine(
    document,
    ({ scripts }) =>
      new Map(
        Object.entries(scripts).map(([written, stored]) => {
          const [digest = "", ...path] = written.split(" ");
          return [written as Key, { digest: digest as Digest, path: path.join(" "), ...stored }];
        }),
      ),
  ),
  maxBytes: 4 * 1024 * 1024,
  toDocument: (scripts) => ({
    version: 1,
    scripts: Object.fromEntries(
      Array.from(scripts, ([written, { skill, allowedAt }]) => [written, { skill, allowedAt }]),
    ),
  }),
  invalid: {
    errorCode: "approvals-invalid",
    consequence: "no script may run without a question",
    remedy: "Repair the file, or move it away; `skillet run` then asks again.",
  },
  full: {
    errorCode: "approvals-full",
    what: "The scripts in",
    remedy: "take back those that you no longer need with `skillet trust --withdraw NAME`",
  },
};

export function readAllowedScripts(home: string): { file: string; scripts: readonly AllowedScript[] } {
  const { file, items } = readStore(home, FORMAT);
  return { file, scripts: [...items.values()] };
}

/** Takes back what `isMeant` picks; returns how many there were. */
export async function withdrawScripts(
  home: string,
  isMeant: (script: AllowedScript) => boolean,
): Promise<number> {
  const meant = readAllowedScripts(home).scripts.filter(isMeant);
  for (const { skill, digest, path } of meant)
    await recordAndApply(home, { action: "withdraw", skill, digest, path, decision: "allow" }, () =>
      changeStore({ home }, FORMAT, (scripts) => scripts.delete(`${digest} ${path}`)),
    );
  return meant.length;
}

type Answer = "yes" | "remembered" | "no" | "unasked";

/**
 * Puts the person at the terminal in charge of a script that neither a flag nor a profile lists. It is asked when the
 * files are staged and verified, so a missing script is reported as missing, and the answer is about exactly these bytes.
 */
export class ScriptConsent {
  #answer: Answer | undefined;
  readonly #context: CommandContext;
  readonly #options: RunCommandOptions;

  constructor(context: CommandContext, options: RunCommandOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Whether the person agreed just now, by an answer or a flag. */
  get isAsked(): boolean {
    return this.#answer === "yes";
  }

  get isDeclined(): boolean {
    return this.#answer === "no";
  }

  guard(runner: ScriptRunner, skills: Skills, skill: Skill | undefined): ScriptRunner {
    const name = `${skill?.qualifiedName}:${posix.normalize(this.#options.path)}`;
    if (skill === undefined || parseScriptReference(name) === undefined) return runner;
    const { profile = "", allow = [] } = this.#options;
    const { scripts = [], hostScripts = [] } = skills.config.config.profiles[profile] ?? {};
    const isListed = [...allow, ...scripts, ...hostScripts].some((one) => {
      const listed = parseScriptReference(one);
      if (listed === undefined || !name.endsWith(`:${listed.path}`)) return false;
      const found = lookUpSkill(skills, listed.skill, this.#context.workspace);
      return found.kind === "found" && found.skill === skill;
    });
    if (isListed) return runner;
    return {
      allow: [...runner.allow, name],
      prepare: async (script) => {
        const prepared = await runner.prepare(script);
        if ("status" in prepared) return prepared;
        this.#answer = await this.#decide(skills.home, script, prepared);
        if (this.#answer === "yes" || this.#answer === "remembered") return prepared;
        const message =
          this.#answer === "no"
            ? `${name} was not run: you declined.`
            : `${name} is not allowed yet, and there is no terminal to ask on.`;
        return { status: "refused", code: "script-not-allowlisted", message };
      },
    };
  }

  async #decide(home: string, { skill, path }: ScriptToRun, prepared: PreparedScript): Promise<Answer> {
    const { dialog, json, environment } = this.#context;
    const { treeDigest: digest, qualifiedName } = skill;
    if (this.#options.yes === true) return "yes";
    if (readStore(home, FORMAT).items.has(`${digest} ${path}`)) return "remembered";
    if (dialog === undefined || json) return "unasked";
    const question = `${qualifiedName}:${path} wants to run with ${prepared.runtime} ${placeOf(prepared)}${this.#grants()}.`;
    const typed = await askOnTerminal(
      dialog,
      `${showSentence(question, environment)} Run it? y: this time, a: always while no file of the skill changes, n: no [y/a/N]`,
    );
    if (/^y(?:es)?$/i.test(typed ?? "")) return "yes";
    if (!/^a(?:lways)?$/i.test(typed ?? "")) return "no";
    const allowed = { digest, path, skill: qualifiedName, allowedAt: new Date().toISOString() };
    const decision = { action: "approve", skill: qualifiedName, digest, path, decision: "allow" } as const;
    await recordAndApply(home, { ...decision, reason: "may run without a question" }, () =>
      changeStore({ home }, FORMAT, (scripts) => scripts.set(`${digest} ${path}`, allowed)),
    );
    return "yes";
  }

  #grants(): string {
    const { network = [], writable = [], secret = [] } = this.#options;
    const granted = [
      ...(network.length > 0 ? [`reach ${network.join(", ")}`] : []),
      ...(writable.length > 0 ? [`write ${writable.join(", ")}`] : []),
      ...(secret.length > 0 ? [`have ${secret.join(", ")}`] : []),
    ];
    return granted.length === 0 ? "" : `; it may ${granted.join(", and ")}`;
  }
}

function placeOf({ sandbox, place }: PreparedScript): string {
  const where = place === undefined ? "" : ` on ${place}`;
  return sandbox === "none" ? `without a sandbox${where}` : `in the sandbox ${sandbox ?? ""}${where}`;
}

import { Buffer } from "node:buffer";
import type { Verdict } from "../../scan-report.ts";
import { scanSkill } from "../../scan-skill.ts";
import { type Attack, type Disguise, type SkillTexts, wrapSkill } from "./attack.ts";
import { PROGRAM_ATTACKS } from "./program-attacks.ts";
import { PROGRAM_DISGUISES } from "./program-disguises.ts";
import { PROSE_ATTACKS } from "./prose-attacks.ts";
import { PROSE_DISGUISES } from "./prose-disguises.ts";
import { SHELL_ATTACKS } from "./shell-attacks.ts";
import { SHELL_DISGUISES } from "./shell-disguises.ts";

/** One attack in one disguise, or in none, and the scan's result. */
export interface Mutation {
  readonly kind: Attack["kind"];
  readonly attack: string;
  /** Empty for the plain attack. */
  readonly disguise: string;
  readonly verdict: Verdict;
  readonly rules: readonly string[];
  /** Of all findings, including those without effect. */
  readonly messages: readonly string[];
}

/** Scans every attack plainly and in each of its ten disguises. */
export async function runMutations(): Promise<readonly Mutation[]> {
  const plain = [...SHELL_ATTACKS, ...PROGRAM_ATTACKS, ...PROSE_ATTACKS].map((attack) =>
    mutate(attack, "", plainly(attack)),
  );
  return Promise.all([
    ...plain,
    ...SHELL_ATTACKS.flatMap((attack) => disguise(attack, SHELL_DISGUISES)),
    ...PROGRAM_ATTACKS.flatMap((attack) => disguise(attack, PROGRAM_DISGUISES)),
    ...PROSE_ATTACKS.flatMap((attack) => disguise(attack, PROSE_DISGUISES)),
  ]);
}

function plainly(attack: Attack): SkillTexts {
  if (attack.kind === "shell") return wrapSkill(`\`\`\`bash\n${attack.command}\n\`\`\``);
  if (attack.kind === "prose") return wrapSkill(attack.english);
  const file = attack.kind === "python" ? "scripts/prepare.py" : "scripts/prepare.mjs";
  return wrapSkill(`Run \`${file}\` first.`, { [file]: attack.code });
}

function disguise<Kind extends Attack>(
  attack: Kind,
  disguises: readonly Disguise<Kind>[],
): Promise<Mutation>[] {
  return disguises.map(({ name, apply }) => mutate(attack, name, apply(attack)));
}

async function mutate(attack: Attack, name: string, texts: SkillTexts): Promise<Mutation> {
  const files = Object.entries(texts).map(([path, text]) => ({
    path,
    mode: "644" as const,
    bytes: Buffer.from(text),
  }));
  const { verdict, findings } = await scanSkill(files);
  const counted = findings.filter(({ severity }) => severity !== "info");
  return {
    kind: attack.kind,
    attack: attack.name,
    disguise: name,
    verdict,
    rules: Array.from(new Set(counted.map(({ rule }) => rule))),
    messages: findings.map(({ rule, message }) => `${rule}: ${message}`),
  };
}

import type { ActFact, FactBook } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/finding.ts";
import { registeredDomain } from "../host/classify-host.ts";

/** Headings do not count, and neither does asking a program for its version: a lure brings both with it. */
export class KnownMakers {
  readonly #declared: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #answers = new Map<string, boolean>();

  constructor(facts: FactBook, { name, description, declaredHosts }: SkillProfile) {
    this.#declared = declaredHosts;
    const words = `${name} ${description}`.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
    const programs = facts.of("act").flatMap(usedProgram);
    this.#names = new Set([squeeze(name), ...words, ...programs]);
  }

  hasHost(host: string): boolean {
    const domain = registeredDomain(host);
    if (this.#declared.has(host) || this.#declared.has(domain)) return true;
    return this.hasName(domain.split(".")[0] ?? "");
  }

  hasName(name: string): boolean {
    const label = squeeze(name);
    let answer = this.#answers.get(label);
    if (answer === undefined) {
      // Every name is compared with every label; whoever needs more makers than this is not helped.
      answer = this.#answers.size < MAX_LABELS && this.#isKnown(label);
      this.#answers.set(label, answer);
    }
    return answer;
  }

  #isKnown(label: string): boolean {
    if (this.#names.has(label)) return true;
    for (const name of this.#names) if (isPartOf(name, label) || isPartOf(label, name)) return true;
    return false;
  }
}

const MAX_LABELS = 100;
const MIN_CHARACTERS = 4;

function usedProgram({ act }: ActFact): readonly string[] {
  if (act.type !== "run" || act.arguments.every((argument) => VERSION.test(argument))) return [];
  return [squeeze(act.program)];
}

const VERSION = /^(?:-{1,2}(?:version|v|help|h)|version|help)$/i;

function squeeze(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Whether one name begins or ends the other and is at least half of it: `open` is no part of `openhelpercli`. */
function isPartOf(part: string, whole: string): boolean {
  return (
    part.length >= MIN_CHARACTERS &&
    part.length * 2 >= whole.length &&
    (whole.startsWith(part) || whole.endsWith(part))
  );
}

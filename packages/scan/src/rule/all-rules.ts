import type { Rule } from "../finding/finding.ts";
import { PE2, PE3 } from "./agent-control.ts";
import { DX4 } from "./beacon.ts";
import { AN1, BI1, OB1 } from "./binary.ts";
import { CX1, CX2, TR1 } from "./coherence.ts";
import { CR1 } from "./credentials.ts";
import { DE1, RA1 } from "./destruction.ts";
import { EX1, EX2, EX3, EX4, EX5, PI4 } from "./execution.ts";
import { DX1, DX2, DX3, DX5 } from "./exfiltration.ts";
import { BI2 } from "./markup.ts";
import { PE1 } from "./persistence.ts";
import { PR1 } from "./privilege.ts";
import { withProse } from "./prose-rules.ts";
import { PR2 } from "./protection.ts";
import { RULE_EXAMPLES } from "./rule-texts.ts";
import { SE1 } from "./social-engineering.ts";
import { SC1, SC2, SC3 } from "./supply-chain.ts";
import { PI3, UN1, UN2 } from "./unicode.ts";

const BY_FACTS: ReadonlyMap<string, Rule> = new Map(
  [
    ...[SE1, EX1, EX2, EX3, EX4, EX5, DX1, DX2, DX3, DX4, DX5, PI3, PI4, UN1, UN2, OB1],
    ...[PE1, PE2, PE3, PR1, PR2, DE1, CR1, SC1, SC2, SC3, BI1, BI2, CX1, CX2, TR1, RA1, AN1],
  ].map((rule) => [rule.id, rule]),
);

/** Every rule of the scanner, in the order of the documentation. */
export const ALL_RULES: readonly Rule[] = Array.from(RULE_EXAMPLES.keys(), (id) =>
  withProse(id, BY_FACTS.get(id)),
);

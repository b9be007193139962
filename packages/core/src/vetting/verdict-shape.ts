import {
  listOf,
  objectOf,
  optional,
  type Shape,
  ShapeCheck,
  text,
  wholeFrom,
} from "../registry/json-shape.ts";
import { digest } from "../registry/snapshot-shape.ts";
import type { KnownFinding, KnownOpinion, KnownPlace, KnownVerdict } from "./verdict-file.ts";

/** A file of verdicts as JSON holds it. */
export interface VerdictDocument {
  readonly version: number;
  readonly ruleSet: string;
  readonly generation: number;
  readonly verdicts: Readonly<Record<string, KnownVerdict>>;
  readonly places: Readonly<Record<string, KnownPlace>>;
}

/** Whether a value has the form of a file of verdicts, in every one of its values. */
export function checkVerdictFile(value: unknown): value is VerdictDocument {
  const check = new ShapeCheck();
  document(value, check);
  return check.problems.length === 0;
}

const count: Shape = wholeFrom(0);

const finding: Shape = objectOf<KnownFinding>({
  rule: text,
  severity: text,
  file: text,
  line: count,
  message: text,
});

const verdict: Shape = objectOf<KnownVerdict>({
  verdict: text,
  counts: objectOf<KnownVerdict["counts"]>({ critical: count, warn: count, info: count }),
  findings: listOf(finding),
  criticalRules: listOf(text),
  opinions: listOf(objectOf<KnownOpinion>({ verdict: text, by: text, reasons: listOf(text) })),
  generation: count,
});

const place: Shape = objectOf<KnownPlace>({
  stamp: text,
  digest,
  read: digest,
  skill: digest,
  verdict: text,
  withheld: optional(text),
  generation: count,
});

const document: Shape = objectOf<VerdictDocument>({
  version: count,
  ruleSet: text,
  generation: count,
  verdicts: mapOf(verdict),
  places: mapOf(place),
});

function mapOf(shape: Shape): Shape {
  return (value, check) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      check.refuse(value, "a map");
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      if (check.isFull) return;
      check.inside(key, shape, item);
    }
  };
}

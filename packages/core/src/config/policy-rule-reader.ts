import { nearestName } from "@skillet/kit/nearest-name";
import { POLICY_ACTIONS, POLICY_MODES, POLICY_ORIGINS, POLICY_SOURCES, type PolicyRule } from "./config.ts";
import type { ConfigLayer } from "./config-layer.ts";
import { showKeyPath } from "./key-path.ts";
import { parseToolRule } from "./tool-rule/parse-tool-rule.ts";
import { type Reader, readChoice, readFields, readList } from "./value-reader.ts";

/** Every rule with a star is tried on every skill. */
const MAX_RULES = 1000;

/** Where the rules of a layer stand, and what their paths are relative to. */
interface RulePlace {
  readonly kind: ConfigLayer["kind"];
  readonly file?: string;
  readonly baseDirectory: string;
  readonly userHome: string;
}

/** The reader of `policy.rules`; `text` reads a name. */
export function policyRules(place: RulePlace, text: Reader<string>): Reader<readonly PolicyRule[]> {
  const read = readList(policyRule(place, text));
  return (node, at, context) => {
    if (node.kind === "list" && node.items.length > MAX_RULES) {
      context.fault(
        node.range,
        `\`${at.join(".")}\` has more than ${MAX_RULES} rules`,
        "join rules by patterns with `*`",
      );
      return undefined;
    }
    return read(node, at, context);
  };
}

const SELECTORS = ["skill", "origin", "tool", "mode", "source"];

function policyRule(place: RulePlace, text: Reader<string>): Reader<PolicyRule> {
  const { kind: layer, file } = place;
  const fields = readFields<Omit<PolicyRule, "from">>(
    {
      skill: text,
      origin: readChoice(POLICY_ORIGINS),
      tool: toolRule(place, text),
      mode: readChoice(POLICY_MODES),
      source: readChoice(POLICY_SOURCES),
      action: readChoice(POLICY_ACTIONS),
    },
    { required: ["action"] },
  );
  return (node, at, context) => {
    const entries = node.kind === "map" ? node.entries : [];
    // A selector that has no effect would leave a rule for more than was meant.
    for (const { key, keyRange, value } of entries) {
      const path = showKeyPath([...at, key]);
      const near = nearestName(key, [...SELECTORS, "action"]);
      if (value.kind === "scalar" && value.value === null)
        context.fault(keyRange, `${path} is empty`, "give it a value, or remove it");
      if (key !== "action" && !SELECTORS.includes(key))
        context.fault(
          keyRange,
          `${path} is no part of a rule`,
          near === undefined ? "remove it" : `did you mean \`${near}\`?`,
        );
    }
    if (node.kind === "map" && entries.every(({ key }) => !SELECTORS.includes(key)))
      context.fault(
        node.range,
        `${showKeyPath(at)} says nothing about what it is for`,
        `add one of ${SELECTORS.map((key) => `\`${key}:\``).join(", ")}`,
      );
    const value = fields(node, at, context);
    const line = node.range?.line;
    return (
      value && {
        ...value,
        from: { layer, ...(file !== undefined && { file }), ...(line !== undefined && { line }) },
      }
    );
  };
}

function toolRule(place: RulePlace, text: Reader<string>): Reader<string> {
  // Which project it will be is not known yet; any folder tells whether the rule can be understood.
  const directories = { project: place.baseDirectory, home: place.userHome };
  return (node, at, context) => {
    const value = text(node, at, context);
    if (value === undefined) return undefined;
    const reading = parseToolRule(value, directories);
    if ("rule" in reading) return value;
    context.fault(node.range, `${showKeyPath(at)} ${reading.problem}`, reading.hint);
    return undefined;
  };
}

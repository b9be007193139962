import type { ActFact, FlowFact } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";

export const EX5: Rule = {
  id: "EX5",
  title: "Data from elsewhere is deserialised in a format that runs code",
  category: "execution",
  severity: "warn",
  explanation:
    "Pickle and its kin, unsafe YAML and node-serialize build any object that the data asks for, and so run any code. Whoever can change the data, on the server or on the way, runs programs on this machine.",
  remedy:
    "Use JSON, or the safe loader of the format (yaml.safe_load, weights_only=True), for data from elsewhere.",
  owasp: ["AST01", "ASI05"],
  find: (book) => [
    ...book.of("flow").flatMap((flow) => judgeFlow(flow)),
    ...book.of("act").flatMap((fact) => judgeAct(fact)),
  ],
};

function judgeFlow(flow: FlowFact): readonly RuleHit[] {
  const { sink } = flow;
  if (sink.type !== "execute" || sink.how !== "deserialise") return [];
  const source = flow.sources.find(({ type }) => type === "network" || type === "decoded");
  if (source === undefined) return [];
  const from = source.type === "network" ? (source.host ?? "the network") : "an encoded text";
  return [{ severity: "warn", place: flow, message: `${sink.by} builds objects from ${from}` }];
}

function judgeAct(fact: ActFact): readonly RuleHit[] {
  const { act } = fact;
  if (act.type !== "dynamic-code" || act.from !== "serialised") return [];
  return [{ severity: "info", place: fact, message: `${act.by} builds objects from local data` }];
}

import type { ActFact, FlowFact } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { judgePrintedCommand } from "./judge-download.ts";

export const EX4: Rule = {
  id: "EX4",
  title: "Code is made while the program runs",
  category: "execution",
  severity: "warn",
  explanation:
    "The program runs a text as code, or reaches the function that does so by a name that it puts together first. Loaders of plugins and templates run code from texts all day; only somebody who does not want to be read hides which function it is.",
  remedy:
    "Call functions by their names, and load modules from the skill's own folder; leave out eval where a parser or a table would do.",
  owasp: ["AST01", "ASI05"],
  find: (book, profile) => {
    const seen = new Set<string>();
    const left = book.of("flow").flatMap((flow): readonly RuleHit[] => judgeLeftFile(flow));
    const made = book.of("act").flatMap((fact): readonly RuleHit[] => {
      const { act } = fact;
      if (act.type !== "dynamic-code" || act.from === "serialised") return [];
      const key = `${fact.file} ${act.by} ${act.disguise ?? ""}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [judge(fact, act.by, act.disguise, act.from)];
    });
    const printed = book.of("flow").flatMap((flow) => judgePrintedCommand(flow, profile));
    return [...left, ...made, ...printed];
  },
};

function judge(
  place: ActFact,
  by: string,
  disguise: string | undefined,
  from: "module" | "parameter" | undefined,
): RuleHit {
  if (disguise !== undefined)
    return { severity: "warn", place, message: `${by} is called in disguise: ${disguise}` };
  // Whoever calls the tool, a model that read somebody's page for instance, writes the code.
  if (from === "parameter" && place.medium === "script" && EVALUATORS.has(by))
    return { severity: "warn", place, message: `${by} runs whatever text the function is given` };
  const message =
    from === "module"
      ? `${by} loads a module by a name that is not constant`
      : `${by} runs a text that is not constant`;
  const demoted =
    from === "module"
      ? "plugins and modules are loaded that way every day"
      : "nothing hides which function it is, and nothing from elsewhere is known to reach it";
  return { severity: "info", place, message, demoted };
}

const EVALUATORS: ReadonlySet<string> = new Set(["eval", "exec"]);

/** Code from a folder that every program can write to; one that hides its name there was left by somebody. */
function judgeLeftFile(flow: FlowFact): readonly RuleHit[] {
  const { sink } = flow;
  if (sink.type !== "execute" || sink.how !== "eval") return [];
  const source = flow.sources.find(({ type }) => type === "file");
  if (source?.type !== "file") return [];
  const isHidden = /\/\.[^/]+$/.test(source.path);
  const message = `${sink.by} runs what lies in ${source.path}, where any program can put it`;
  return [{ severity: isHidden ? "critical" : "warn", place: flow, message }];
}

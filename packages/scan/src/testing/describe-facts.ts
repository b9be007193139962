import type { DataSource, Fact, FlowFact, Sink } from "../fact/fact.ts";
import { agentPath, startupPath } from "../secret/classify-path.ts";

/** Flows in short form: `1: network evil.test > execute shell sh`; without halves, which mean nothing alone. */
export function describeFlows(facts: readonly Fact[]): string[] {
  return facts.flatMap((fact) =>
    fact.kind === "flow" && !isHalf(fact)
      ? [`${fact.line}: ${fact.sources.map(describeSource).join(" + ")} > ${describeSink(fact.sink)}`]
      : [],
  );
}

/** A flow into an ordinary file, or from such a file to a command: another program is the other half. */
function isHalf({ sink, sources }: FlowFact): boolean {
  if (sink.type === "write")
    return agentPath(sink.path) === undefined && startupPath(sink.path) === undefined;
  return sink.type === "execute" && sources.every(({ type }) => type === "file");
}

export function describeActs(facts: readonly Fact[], ...types: readonly string[]): string[] {
  return facts.flatMap((fact) => {
    if (fact.kind !== "act" || !types.includes(fact.act.type)) return [];
    const { type, ...rest } = fact.act;
    const [first] = Object.values(rest);
    return [`${fact.line}: ${type} ${String(first)}`];
  });
}

function describeSource(source: DataSource): string {
  switch (source.type) {
    case "network":
      return `network ${source.host ?? "*"}`;
    case "decoded":
      return `decoded ${source.encoding}`;
    case "secret":
      return `secret ${source.secret}`;
    case "file":
      return `file ${source.path}`;
    case "capture":
      return `capture ${source.what}`;
    default:
      return source.type;
  }
}

function describeSink(sink: Sink): string {
  switch (sink.type) {
    case "execute":
      return `execute ${sink.how} ${sink.by}`;
    case "network":
      return `network ${sink.how} ${sink.host ?? "*"}`;
    case "write":
      return `write ${sink.path}`;
    case "instructions":
      return "instructions";
  }
}

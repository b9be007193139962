import type { Analysis } from "../analyse/fact-writer.ts";
import type { DataSource, Fact, Sink } from "../fact/fact.ts";

/** An analysis, one line each: flows as `secret:ssh ~/.ssh/id_rsa -> network:http drop.test`, texts as `shell: curl …`. */
export function showAnalysis({ facts, texts, unread }: Analysis): readonly string[] {
  return [
    ...facts.map((fact) => showFact(fact)),
    ...texts.map((text) => {
      const chain = text.chain.map(({ how }) => how).join(", ");
      return `${text.language}: ${text.text}${chain === "" ? "" : ` (${chain})`}`;
    }),
    ...(unread === undefined ? [] : [`unread: ${unread}`]),
  ];
}

/** Only the flows, which are what most rules join. */
export function showFlows(analysis: Analysis): readonly string[] {
  return analysis.facts.filter(({ kind }) => kind === "flow").map((fact) => showFact(fact));
}

function showFact(fact: Fact): string {
  if (fact.kind === "flow")
    return `${fact.sources.map((source) => showSource(source)).join(" + ")} -> ${showSink(fact.sink)}`;
  if (fact.kind !== "act") return fact.kind;
  const { type, ...rest } = fact.act;
  return `${type} ${Object.values(rest).join(" ")}`;
}

function showSource(source: DataSource): string {
  switch (source.type) {
    case "network":
      return `network ${source.url ?? ""}`;
    case "decoded":
      return `decoded:${source.encoding}`;
    case "secret":
      return `secret:${source.secret} ${source.name}`;
    case "file":
      return `file ${source.path}`;
    case "capture":
      return `capture:${source.what}`;
    default:
      return source.type;
  }
}

function showSink(sink: Sink): string {
  switch (sink.type) {
    case "execute":
      return `execute:${sink.how} ${sink.by}`;
    case "network":
      return `network:${sink.how} ${sink.host ?? ""}`;
    case "write":
      return `write ${sink.path}`;
    default:
      return sink.type;
  }
}

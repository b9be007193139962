import type { ActFact, DataSource, FactPlace, FlowFact } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyHost, hostOf } from "../host/classify-host.ts";
import { isDocument, isTeaching, lowerShown } from "./is-teaching.ts";
import { keepLive } from "./judge-destination.ts";
import { judgeDecoded, judgeDownload, judgePrintedCommand } from "./judge-download.ts";
import { rule } from "./rule-texts.ts";

export const EX1: Rule = rule("EX1", (book, profile) =>
  book.of("flow").flatMap((flow) => {
    const { sink } = flow;
    if (sink.type !== "execute" || sink.how === "deserialise") return [];
    return flow.sources.flatMap((source): RuleHit[] => {
      if (source.type !== "network" || isSocket(source.url)) return [];
      const { severity, reason, demoted } = judgeDownload(flow, source, profile);
      const from = hostOf(source.host ?? source.url ?? "") ?? "an address that is not known";
      const message = `What ${from === "*" ? "an address that is not known" : from} sends is run by ${sink.by}${reason}`;
      return [keepLive(hitAt(flow, severity, message, demoted), source.url ?? source.host, profile)];
    });
  }),
);

export const EX2: Rule = rule("EX2", (book, profile) =>
  book.of("flow").flatMap((flow) => {
    const { sink } = flow;
    if (sink.type !== "execute" || sink.how === "deserialise") return [];
    const decoded = flow.sources.filter((source) => source.type === "decoded");
    if (decoded.length === 0) return [];
    const judgement = judgeDecoded(flow, decoded, profile);
    const encodings = [...new Set(decoded.map(({ encoding }) => encoding))].join(", ");
    const message = `Text in ${encodings} is decoded and run by ${sink.by}${contentOf(decoded)}`;
    return [{ ...judgement, place: flow, message }];
  }),
);

function isSocket(url: string | undefined): boolean {
  return /^(?:tcp|udp|ssl):/.test(url ?? "");
}

function contentOf(decoded: readonly Extract<DataSource, { type: "decoded" }>[]): string {
  const text = decoded.findLast((source) => source.text !== undefined)?.text?.trim();
  return text === undefined || text === "" ? "" : `: ${text.slice(0, 120)}`;
}

export const EX5: Rule = rule("EX5", (book) => [
  ...book.of("flow").flatMap((flow) => judgeFlow(flow)),
  ...book.of("act").flatMap((fact) => judgeAct(fact)),
]);

function judgeFlow(flow: FlowFact): readonly RuleHit[] {
  const { sink } = flow;
  if (sink.type !== "execute" || sink.how !== "deserialise") return [];
  const source = flow.sources.find(({ type }) => type === "network" || type === "decoded");
  if (source === undefined) return [];
  const from = source.type === "network" ? (source.host ?? "the network") : "an encoded text";
  return [hitAt(flow, "warn", `${sink.by} builds objects from ${from}`)];
}

function judgeAct(fact: ActFact): readonly RuleHit[] {
  const { act } = fact;
  if (act.type !== "dynamic-code" || act.from !== "serialised") return [];
  return [hitAt(fact, "info", `${act.by} builds objects from local data`)];
}

export const EX4: Rule = rule("EX4", (book, profile) => {
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
});

function judge(
  place: ActFact,
  by: string,
  disguise: string | undefined,
  from: "module" | "parameter" | undefined,
): RuleHit {
  if (disguise !== undefined) return hitAt(place, "warn", `${by} is called in disguise: ${disguise}`);
  // Whoever calls the tool, a model that read somebody's page for instance, writes the code.
  if (from === "parameter" && place.medium === "script" && EVALUATORS.has(by))
    return hitAt(place, "warn", `${by} runs whatever text the function is given`);
  const message =
    from === "module"
      ? `${by} loads a module by a name that is not constant`
      : `${by} runs a text that is not constant`;
  const demoted =
    from === "module"
      ? "plugins and modules are loaded that way every day"
      : "nothing hides which function it is, and nothing from elsewhere is known to reach it";
  return hitAt(place, "info", message, demoted);
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
  return [hitAt(flow, isHidden ? "critical" : "warn", message)];
}

export const EX3: Rule = rule("EX3", (book, profile) => {
  const hits: RuleHit[] = [];
  const note = (place: FactPlace, host: string, message: string): void => {
    hits.push(keepLive(judgeRemoteShell(place, host, message, profile), host, profile));
  };
  for (const fact of book.of("act"))
    if (fact.act.type === "remote-shell")
      note(fact, fact.act.host, `A shell is bound to ${shown(fact.act.host)} (${fact.act.how})`);
  for (const flow of book.of("flow")) {
    if (flow.sink.type !== "execute") continue;
    for (const source of flow.sources)
      if (source.type === "network" && isSocket(source.url))
        note(flow, source.host ?? "*", `What a connection to ${shown(source.host)} says is run`);
  }
  return hits;
});

function shown(host: string | undefined): string {
  return host === undefined || host === "*" ? "an address that is not known" : host;
}

function judgeRemoteShell(place: FactPlace, host: string, message: string, profile: SkillProfile): RuleHit {
  if (isTeaching(place, host, profile))
    return hitAt(place, "info", message, "a skill about attacks shows it without a real address");
  // Without an address a document shows a shape, not a connection; a port that is opened here needs no address.
  const isShape = isDocument(place) && place.chain.length === 0 && host === "*";
  if (isShape) return hitAt(place, "warn", message);
  const hit: RuleHit = hitAt(place, "critical", message);
  // Nobody elsewhere is behind an address of one's own network.
  return NEAR_HOSTS.has(classifyHost(host)) ? lowerShown(hit, place) : hit;
}

const NEAR_HOSTS: ReadonlySet<string> = new Set(["private", "loopback", "placeholder"]);

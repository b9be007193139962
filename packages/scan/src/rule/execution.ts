import type { ActOf, DataSource, FactBook, FactPlace, FlowInto } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { hostOf, isNearHost } from "../host/classify-host.ts";
import { isSharedPlace } from "../secret/classify-path.ts";
import { distinct } from "../word-list.ts";
import { isCovert } from "./find-skill-installs.ts";
import { isDocument, isTeaching, lesson, lowerShown } from "./is-teaching.ts";
import { judgeDestination, keepLive } from "./judge-destination.ts";
import { judgeDecoded, judgeDownload, judgePrintedCommand } from "./judge-download.ts";
import { rule } from "./rule-texts.ts";

export const EX1: Rule = rule("EX1", (book, profile) =>
  executed(book).flatMap((flow) =>
    flow.sources.flatMap((source): RuleHit[] => {
      if (source.type !== "network" || isSocket(source.url)) return [];
      const { severity, reason, demoted } = judgeDownload(flow, source, profile);
      const from = hostOf(source.host ?? source.url ?? "");
      const deed = flow.sink.by === "chmod +x" ? "made executable" : `run by ${flow.sink.by}`;
      const message = `What ${shown(from)} sends is ${deed}${reason}`;
      // A specimen address never answers; with a real one the finding stays a warning.
      const hit: RuleHit = { ...hitAt(flow, severity, message, demoted), least: "info" };
      return [keepLive(hit, source.url ?? source.host, profile)];
    }),
  ),
);

export const EX2: Rule = rule("EX2", (book, profile) =>
  executed(book).flatMap((flow) => {
    const decoded = flow.sources.filter((source) => source.type === "decoded");
    if (decoded.length === 0) return [];
    const judgement = judgeDecoded(flow, decoded, profile);
    const encodings = [...new Set(decoded.map(({ encoding }) => encoding))].join(", ");
    const message = `Text in ${encodings} is decoded and run by ${flow.sink.by}${contentOf(decoded)}`;
    return [{ ...judgement, place: flow, message }];
  }),
);

function executed(book: FactBook): readonly FlowInto<"execute">[] {
  return book.flowsInto("execute").filter(({ sink }) => sink.how !== "deserialise");
}

function isSocket(url: string | undefined): boolean {
  return /^(?:tcp|udp|ssl):/.test(url ?? "");
}

function contentOf(decoded: readonly Extract<DataSource, { type: "decoded" }>[]): string {
  const text = decoded.findLast((source) => source.text !== undefined)?.text?.trim();
  return text === undefined || text === "" ? "" : `: ${text.slice(0, 120)}`;
}

export const EX5: Rule = rule("EX5", (book) => [
  ...book.flowsInto("execute").flatMap((flow) => judgeBuilt(flow)),
  ...book
    .acts("dynamic-code")
    .filter(({ act }) => act.from === "serialised")
    .map((fact) => hitAt(fact, "info", `${fact.act.by} builds objects from local data`)),
]);

function judgeBuilt(flow: FlowInto<"execute">): readonly RuleHit[] {
  const { sink } = flow;
  if (sink.how !== "deserialise") return [];
  const source = flow.sources.find(({ type }) => type === "network" || type === "decoded");
  if (source === undefined) return [];
  const from = source.type === "network" ? (source.host ?? "the network") : "an encoded text";
  return [hitAt(flow, "warn", `${sink.by} builds objects from ${from}`)];
}

export const EX4: Rule = rule("EX4", (book, profile) => {
  const made = book.acts("dynamic-code").filter(({ act }) => act.from !== "serialised");
  return [
    ...book.flowsInto("execute").flatMap((flow) => judgeLeftFile(flow)),
    ...distinct(made, ({ file, act }) => `${file} ${act.by} ${act.disguise}`).map(judgeMade),
    ...book.flowsInto("instructions").flatMap((flow) => judgePrintedCommand(flow, profile)),
  ];
});

function judgeMade(place: ActOf<"dynamic-code">): RuleHit {
  const { by, disguise, from } = place.act;
  if (disguise !== undefined) return hitAt(place, "warn", `${by} is called in disguise: ${disguise}`);
  // The caller of the tool, for instance a model that read a malicious page, writes the code.
  if (from === "parameter" && place.medium === "script" && EVALUATORS.has(by))
    return hitAt(place, "warn", `${by} runs whatever text the function is given`);
  if (from === "module") {
    const message = `${by} loads a module by a name that is not constant`;
    return hitAt(place, "info", message, "plugins and modules are loaded that way every day");
  }
  const demoted = "nothing hides which function it is, and nothing from elsewhere is known to reach it";
  return hitAt(place, "info", `${by} runs a text that is not constant`, demoted);
}

const EVALUATORS: ReadonlySet<string> = new Set(["eval", "exec"]);

/** Code from a world-writable folder. A hidden file there was left by an attacker. */
function judgeLeftFile(flow: FlowInto<"execute">): readonly RuleHit[] {
  const { sink } = flow;
  if (sink.how !== "eval") return [];
  const source = flow.sources.find((one) => one.type === "file" && isSharedPlace(one.path));
  if (source?.type !== "file") return [];
  const isHidden = /\/\.[^/]+$/.test(source.path);
  const message = `${sink.by} runs what lies in ${source.path}, where any program can put it`;
  return [hitAt(flow, isHidden ? "critical" : "warn", message)];
}

export const EX3: Rule = rule("EX3", (book, profile) => {
  const hits: RuleHit[] = [];
  const note = (place: FactPlace, host: string, message: string): void => {
    const hit: RuleHit = { ...judgeRemoteShell(place, host, message, profile), least: "info" };
    hits.push(keepLive(hit, host, profile));
  };
  for (const fact of book.acts("remote-shell"))
    note(fact, fact.act.host, `A shell is bound to ${shown(fact.act.host)} (${fact.act.how})`);
  for (const flow of book.flowsInto("execute"))
    for (const source of flow.sources)
      if (source.type === "network" && isSocket(source.url))
        note(flow, source.host ?? "*", `What a connection to ${shown(source.host)} says is run`);
  return hits;
});

function shown(host: string | undefined): string {
  return host === undefined || host === "*" ? "an address that is not known" : host;
}

function judgeRemoteShell(place: FactPlace, host: string, message: string, profile: SkillProfile): RuleHit {
  if (isTeaching(place, host, profile)) return { ...lesson(place, host), place, message };
  // A document that gives no address shows a pattern, not a connection; a listening port needs no address.
  const isShape = isDocument(place) && place.chain.length === 0 && host === "*";
  if (isShape) return hitAt(place, "warn", message);
  const hit: RuleHit = hitAt(place, "critical", message);
  // An attacker elsewhere cannot receive on an address of the local network.
  return isNearHost(host) ? lowerShown(hit, place) : hit;
}

export const PI4: Rule = rule("PI4", (facts, profile) =>
  facts.flowsInto("instructions").flatMap((flow) =>
    flow.sources.flatMap((source): readonly RuleHit[] => {
      if (source.type !== "network") return [];
      const destination = judgeDestination(source.url ?? source.host, profile);
      if (destination === "local") return [];
      const page = source.host || "a page elsewhere";
      // Making the agent obey a page without the user's knowledge is hostile, whoever owns the page.
      if (isCovert(flow.snippet))
        return [hitAt(flow, "critical", `What ${page} says is to be followed unseen`)];
      const message = `What ${page} says is to be followed as instructions`;
      return destination === "known"
        ? [hitAt(flow, "info", message, "the page belongs to a vendor that is known")]
        : [hitAt(flow, "warn", message)];
    }),
  ),
);

import { createHash } from "node:crypto";
import type { Capabilities } from "../capability/list-capabilities.ts";
import type { Finding } from "../finding/finding.ts";
import { owaspTitle } from "../finding/owasp.ts";
import type { ScanReport } from "../scan-report.ts";
import { type Excerpt, type ExcerptLine, unseenAsText } from "./excerpts-of.ts";
import { HTML_STYLE } from "./html-style.ts";
import { type RuleDescription, type ScanResult, type ScanSummary, ScanTally } from "./scan-result.ts";

interface HtmlOptions {
  readonly version: string;
  readonly rules: readonly RuleDescription[];
}

/** Writes many results as one self-contained page without scripts or external resources; only the finished piece of each result is kept. */
export class HtmlWriter {
  readonly #options: HtmlOptions;
  readonly #write: (text: string) => void;
  readonly #titles: ReadonlyMap<string, string>;
  readonly #tally = new ScanTally();
  readonly #cards = { dangerous: [] as string[], caution: [] as string[], safe: [] as string[] };
  #ruleSet = "";

  constructor(options: HtmlOptions, write: (text: string) => void) {
    this.#options = options;
    this.#write = write;
    this.#titles = new Map(options.rules.map(({ id, title }) => [id, title]));
  }

  add(result: ScanResult): void {
    const { report } = result;
    this.#tally.add(report);
    this.#ruleSet = report.ruleSet;
    const isRow = report.verdict === "safe" && report.suppressed.length === 0;
    if (isRow) this.#cards.safe.push(safeRow(result));
    else
      this.#cards[report.verdict === "dangerous" ? "dangerous" : "caution"].push(
        htmlCard(result, this.#titles),
      );
  }

  finish(): void {
    const { dangerous, caution, safe } = this.#cards;
    this.#write(`${head()}${overview(this.#tally.summary)}<main>\n`);
    // The worst first; within a verdict, in scan order.
    for (const card of [...dangerous, ...caution]) this.#write(`${card}\n`);
    const heading = `${count(safe.length, "skill")} with nothing against ${safe.length === 1 ? "it" : "them"}`;
    if (safe.length > 0)
      this.#write(`<section class="rows safe"><h2>${heading}</h2><ul>${safe.join("\n")}</ul></section>\n`);
    const { version } = this.#options;
    this.#write(
      `</main>\n<footer>Skillet ${escapeHtml(version)}, rules ${escapeHtml(this.#ruleSet)}. A static scan finds shapes of known attacks; it proves nothing safe.</footer>\n</div></body></html>\n`,
    );
  }
}

function head(): string {
  const hash = createHash("sha256").update(HTML_STYLE).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>Skill scan</title><style>${HTML_STYLE}</style></head><body><div class="page">\n`,
  ].join("\n");
}

function overview({ skills, verdicts, findings, files, notWholly }: ScanSummary): string {
  const unread = notWholly === 0 ? "all read whole" : `${notWholly} not read whole`;
  const tiles: readonly (readonly [style: string, number: number, label: string])[] = [
    ...VERDICTS.map((verdict) => [verdict, verdicts[verdict], verdict] as const),
    ["", findings.critical, findings.critical === 1 ? "critical finding" : "critical findings"],
    ["", findings.warn, findings.warn === 1 ? "warning" : "warnings"],
  ];
  const choices: readonly (readonly [id: string, label: string])[] = [
    ["all", `All ${skills}`],
    ...VERDICTS.map((id) => [id, `${id.charAt(0).toUpperCase()}${id.slice(1)} ${verdicts[id]}`] as const),
  ];
  return [
    `<h1>Skill scan</h1><p class="lead">${count(skills, "skill")}, ${count(files, "file")}, ${unread}</p>`,
    '<ul class="tiles">',
    ...tiles.map(
      ([style, number, label]) => `<li class="${style}"><b>${number}</b><span>${label}</span></li>`,
    ),
    "</ul>",
    bar(verdicts, skills),
    // Radio buttons filter the page without a script.
    ...choices.map(
      ([id], index) =>
        `<input class="filter" type="radio" name="show" id="show-${id}"${index === 0 ? " checked" : ""}>`,
    ),
    `<div class="filters">${choices.map(([id, label]) => `<label for="show-${id}">${label}</label>`).join("")}</div>`,
    "",
  ].join("\n");
}

const VERDICTS = ["dangerous", "caution", "safe"] as const;

// SVG attributes, because the page's policy forbids inline styles.
function bar(verdicts: ScanSummary["verdicts"], skills: number): string {
  if (skills === 0) return "";
  let x = 0;
  const parts = VERDICTS.map((verdict) => {
    const width = (100 * verdicts[verdict]) / skills;
    const part = `<rect class="${verdict}" x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="1"/>`;
    x += width;
    return part;
  });
  return `<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${parts.join("")}</svg>`;
}

function safeRow({ name, path, report: { capabilities } }: ScanResult): string {
  const { network, commands } = capabilities;
  const abilities = [
    ...(network.length > 0 ? [count(network.length, "host")] : []),
    ...(commands.length > 0 ? [count(commands.length, "command")] : []),
  ];
  return `<li>${escapeHtml(name)} <span>${escapeHtml(path)}</span> <span>${abilities.join(", ")}</span></li>`;
}

function escapeHtml(text: string): string {
  return unseenAsText(text).replace(/[&<>"'`]/g, (sign) => ENTITIES[sign] ?? `&#${sign.charCodeAt(0)};`);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function htmlFinding(finding: Finding, result: ScanResult, title: string | undefined): string {
  const { rule, category, severity, file, line, message, demoted } = finding;
  const { chain, related = [], remedy, owasp } = finding;
  return [
    `<article class="finding ${severity}">`,
    `<h3><span class="level">${severity}</span> <span class="rule">${escapeHtml(rule)}</span> ${escapeHtml(title ?? category)}</h3>`,
    `<p class="place">${escapeHtml(file)}:${line}</p>`,
    `<p>${escapeHtml(message)}</p>`,
    htmlCode(finding, result.excerpts.get(finding)),
    chain.length === 0
      ? ""
      : `<ol class="chain">${chain.map((step) => `<li>${escapeHtml(step.how)}</li>`).join("")}<li>${escapeHtml(finding.evidence)}</li></ol>`,
    related.length === 0
      ? ""
      : `<p class="place">with ${related.map((place) => `${escapeHtml(place.file)}:${place.line}`).join(", ")}</p>`,
    demoted === undefined ? "" : `<p class="demoted">Lowered: ${escapeHtml(demoted)}.</p>`,
    `<p class="remedy"><b>What makes it fine</b> ${escapeHtml(remedy)}</p>`,
    owasp.length === 0
      ? ""
      : `<p class="tags">${owasp.map((id) => `<span>${escapeHtml(owaspLabel(id))}</span>`).join(" ")}</p>`,
    "</article>",
  ].join("");
}

function owaspLabel(id: string): string {
  const title = owaspTitle(id);
  return title === undefined ? id : `${id} ${title}`;
}

// Decoded text is on no line, and archive members have no lines here, so only the evidence is shown.
function htmlCode({ evidence }: Finding, excerpt: Excerpt | undefined): string {
  if (excerpt === undefined || excerpt.length === 0)
    return evidence === "" ? "" : `<pre class="code"><code><mark>${escapeHtml(evidence)}</mark></code></pre>`;
  return `<pre class="code"><code>${excerpt.map(codeLine).join("\n")}</code></pre>`;
}

function codeLine({ number, text, mark }: ExcerptLine): string {
  const gutter = `<span class="number">${number}</span>`;
  if (mark === undefined) return `${gutter}${escapeHtml(text)}`;
  const { start, end } = mark;
  return `${gutter}${escapeHtml(text.slice(0, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>${escapeHtml(text.slice(end))}`;
}

// A page that no browser can open is useless; the other formats contain all findings.
const MAX_FINDINGS = 100;
const MAX_VALUES = 40;
const MAX_FILES = 200;

const CAPABILITY_TITLES: Readonly<Record<keyof Capabilities, string>> = {
  network: "Network",
  commands: "Commands",
  paths: "Paths",
  secrets: "Secrets",
  persistence: "Persistence",
  agentConfig: "Agent configuration",
  packages: "Packages",
  remoteInstructions: "Remote instructions",
};

function htmlCard(result: ScanResult, titles: ReadonlyMap<string, string>): string {
  const { name, path, digest, report } = result;
  const { verdict, findings } = report;
  const counting = findings.filter(({ severity }) => severity !== "info");
  const notes = findings.filter(({ severity }) => severity === "info");
  return [
    `<section class="card ${verdict}">`,
    `<header><h2>${escapeHtml(name)}</h2><span class="verdict">${verdict}</span>`,
    `<p class="path">${escapeHtml(path)}${digest === undefined ? "" : ` <span class="digest">${escapeHtml(digest.slice(0, 19))}…</span>`}</p></header>`,
    opinionPart(report),
    findingList(counting, result, titles),
    notes.length === 0
      ? ""
      : `<details><summary>${count(notes.length, "note")} without effect on the verdict</summary>${findingList(notes, result, titles)}</details>`,
    suppressedPart(result, titles),
    capabilityPart(report.capabilities),
    coveragePart(result),
    "</section>",
  ].join("\n");
}

function count(number: number, singular: string): string {
  return `${number} ${number === 1 ? singular : `${singular}s`}`;
}

function opinionPart({ opinion }: ScanReport): string {
  if (opinion === undefined) return "";
  return `<p class="opinion">Read by ${escapeHtml(opinion.by)}: <b>${opinion.verdict}</b></p>`;
}

function findingList(
  findings: readonly Finding[],
  result: ScanResult,
  titles: ReadonlyMap<string, string>,
): string {
  const shown = findings.slice(0, MAX_FINDINGS);
  const rest = findings.length - shown.length;
  return [
    ...shown.map((finding) => htmlFinding(finding, result, titles.get(finding.rule))),
    ...(rest > 0 ? [`<p class="more">and ${count(rest, "more finding")}</p>`] : []),
  ].join("\n");
}

function suppressedPart(result: ScanResult, titles: ReadonlyMap<string, string>): string {
  const { suppressed } = result.report;
  if (suppressed.length === 0) return "";
  const entries = suppressed
    .slice(0, MAX_FINDINGS)
    .map(
      ({ finding, reason }) =>
        `<p class="reason">Dismissed: ${escapeHtml(reason)}</p>${htmlFinding(finding, result, titles.get(finding.rule))}`,
    );
  return `<details><summary>${count(suppressed.length, "finding")} dismissed</summary>${entries.join("\n")}</details>`;
}

function capabilityPart(capabilities: Capabilities): string {
  const rows = Object.entries(CAPABILITY_TITLES).flatMap(([key, title]) => {
    const values = capabilities[key as keyof Capabilities];
    const shown = values.slice(0, MAX_VALUES).map((value) => `<code>${escapeHtml(value)}</code>`);
    const more = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : "";
    return values.length === 0 ? [] : `<dt>${title}</dt><dd>${shown.join(" ")}${more}</dd>`;
  });
  return rows.length === 0
    ? ""
    : `<h3 class="part">What it can do</h3><dl class="abilities">${rows.join("")}</dl>`;
}

function coveragePart({ report: { coverage } }: ScanResult): string {
  const odd = coverage.filter(({ state }) => state !== "read");
  const read = coverage.length - odd.length;
  if (odd.length === 0) return `<p class="coverage">${count(read, "file")} read whole.</p>`;
  const rows = odd
    .slice(0, MAX_FILES)
    .map(
      ({ file, state, reason }) =>
        `<tr><td><code>${escapeHtml(file)}</code></td><td>${state === "unread" ? "not read" : "in part"}</td><td>${escapeHtml(reason ?? "")}</td></tr>`,
    );
  const more =
    odd.length > MAX_FILES ? `<p class="more">and ${count(odd.length - MAX_FILES, "more file")}</p>` : "";
  return `<h3 class="part">Not read whole</h3><table class="unread">${rows.join("")}</table>${more}<p class="coverage">${count(read, "other file")} read whole.</p>`;
}

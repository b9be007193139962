import { createHash } from "node:crypto";
import { escapeHtml } from "./escape-html.ts";
import { count, htmlCard } from "./html-card.ts";
import { HTML_STYLE } from "./html-style.ts";
import type { RuleDescription, ScanResult } from "./scan-result.ts";
import { type ScanSummary, ScanTally } from "./scan-tally.ts";

/** What the page says about the scanner itself. */
export interface HtmlOptions {
  readonly version: string;
  readonly rules: readonly RuleDescription[];
}

/** Puts one page together from many results; of each only its finished piece of the page is kept. */
export class HtmlWriter {
  readonly #options: HtmlOptions;
  readonly #write: (text: string) => void;
  readonly #titles: ReadonlyMap<string, string>;
  readonly #tally = new ScanTally();
  readonly #cards: { readonly dangerous: string[]; readonly caution: string[] } = {
    dangerous: [],
    caution: [],
  };
  readonly #rows: string[] = [];
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
    const isQuiet = report.suppressed.length === 0 && (result.opinion?.verdict ?? "safe") === "safe";
    if (report.verdict === "safe" && isQuiet) this.#rows.push(safeRow(result));
    else if (report.verdict === "safe") this.#cards.caution.push(htmlCard(result, this.#titles));
    else this.#cards[report.verdict].push(htmlCard(result, this.#titles));
  }

  finish(): void {
    const { summary } = this.#tally;
    this.#write(head());
    this.#write(overview(summary));
    this.#write("<main>\n");
    // The worst first; within a verdict in the order of the scan.
    for (const card of this.#cards.dangerous) this.#write(`${card}\n`);
    for (const card of this.#cards.caution) this.#write(`${card}\n`);
    if (this.#rows.length > 0)
      this.#write(
        `<section class="rows safe"><h2>${count(this.#rows.length, "skill")} with nothing against ${this.#rows.length === 1 ? "it" : "them"}</h2><ul>${this.#rows.join("\n")}</ul></section>\n`,
      );
    this.#write(
      `</main>\n<footer>Skillet ${escapeHtml(this.#options.version)}, rules ${escapeHtml(this.#ruleSet)}. A static scan finds shapes of known attacks; it proves nothing safe.</footer>\n</div></body></html>\n`,
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
  const choices: readonly (readonly [id: string, label: string])[] = [
    ["all", `All ${skills}`],
    ["dangerous", `Dangerous ${verdicts.dangerous}`],
    ["caution", `Caution ${verdicts.caution}`],
    ["safe", `Safe ${verdicts.safe}`],
  ];
  return [
    `<h1>Skill scan</h1><p class="lead">${count(skills, "skill")}, ${count(files, "file")}, ${unread}</p>`,
    '<ul class="tiles">',
    tile("dangerous", verdicts.dangerous, "dangerous"),
    tile("caution", verdicts.caution, "caution"),
    tile("safe", verdicts.safe, "safe"),
    tile("", findings.critical, findings.critical === 1 ? "critical finding" : "critical findings"),
    tile("", findings.warn, findings.warn === 1 ? "warning" : "warnings"),
    "</ul>",
    bar(verdicts, skills),
    // Radio buttons: the page filters without a script.
    ...choices.map(
      ([id], index) =>
        `<input class="filter" type="radio" name="show" id="show-${id}"${index === 0 ? " checked" : ""}>`,
    ),
    `<div class="filters">${choices.map(([id, label]) => `<label for="show-${id}">${label}</label>`).join("")}</div>`,
    "",
  ].join("\n");
}

function tile(style: string, number: number, label: string): string {
  return `<li class="${style}"><b>${number}</b><span>${label}</span></li>`;
}

// Attributes of SVG, because the page's policy forbids styles in elements.
function bar(verdicts: ScanSummary["verdicts"], skills: number): string {
  if (skills === 0) return "";
  let x = 0;
  const parts = (["dangerous", "caution", "safe"] as const).map((verdict) => {
    const width = (100 * verdicts[verdict]) / skills;
    const part = `<rect class="${verdict}" x="${x.toFixed(3)}" width="${width.toFixed(3)}" height="1"/>`;
    x += width;
    return part;
  });
  return `<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${parts.join("")}</svg>`;
}

function safeRow({ name, path, report }: ScanResult): string {
  const { capabilities } = report;
  const hosts = capabilities.network.length;
  const commands = capabilities.commands.length;
  const abilities = [
    hosts > 0 ? count(hosts, "host") : "",
    commands > 0 ? count(commands, "command") : "",
  ].filter((part) => part !== "");
  return `<li>${escapeHtml(name)} <span>${escapeHtml(path)}</span> <span>${abilities.join(", ")}</span></li>`;
}

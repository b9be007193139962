import type { Capabilities } from "../capability/capabilities.ts";
import type { Finding } from "../finding/finding.ts";
import { escapeHtml, htmlFinding } from "./html-writer.ts";
import type { ScanResult } from "./scan-result.ts";

// A page that no browser can open helps nobody; the other formats have all of them.
const MAX_FINDINGS = 100;
const MAX_VALUES = 40;
const MAX_FILES = 200;

/** The names of capabilities for people, in the order in which they are shown. */
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

/** Everything about one skill: findings, capabilities, coverage, and what somebody dismissed. */
export function htmlCard(result: ScanResult, titles: ReadonlyMap<string, string>): string {
  const { name, path, digest, report } = result;
  const { verdict, findings } = report;
  const counting = findings.filter(({ severity }) => severity !== "info");
  const notes = findings.filter(({ severity }) => severity === "info");
  return [
    `<section class="card ${verdict}">`,
    `<header><h2>${escapeHtml(name)}</h2><span class="verdict">${verdict}</span>`,
    `<p class="path">${escapeHtml(path)}${digest === undefined ? "" : ` <span class="digest">${escapeHtml(digest.slice(0, 19))}…</span>`}</p></header>`,
    opinionPart(result),
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

export function count(number: number, singular: string): string {
  return `${number} ${number === 1 ? singular : `${singular}s`}`;
}

function opinionPart({ opinion }: ScanResult): string {
  if (opinion === undefined) return "";
  const reasons = opinion.reasons.map((reason) => `<li>${escapeHtml(reason)}</li>`).join("");
  return `<p class="opinion">Second opinion: <b>${opinion.verdict}</b>, by ${escapeHtml(opinion.by)}</p><ul>${reasons}</ul>`;
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
  const rows = capabilityEntries(capabilities).map(
    ([title, values]) =>
      `<dt>${title}</dt><dd>${values
        .slice(0, MAX_VALUES)
        .map((value) => `<code>${escapeHtml(value)}</code>`)
        .join(" ")}${values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : ""}</dd>`,
  );
  return rows.length === 0
    ? ""
    : `<h3 class="part">What it can do</h3><dl class="abilities">${rows.join("")}</dl>`;
}

function capabilityEntries(capabilities: Capabilities): [title: string, values: readonly string[]][] {
  return Object.entries(CAPABILITY_TITLES)
    .map(([key, title]): [string, readonly string[]] => [title, capabilities[key as keyof Capabilities]])
    .filter(([, values]) => values.length > 0);
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

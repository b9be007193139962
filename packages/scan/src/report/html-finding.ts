import type { Finding } from "../finding/finding.ts";
import { owaspTitle } from "../finding/owasp.ts";
import { escapeHtml } from "./escape-html.ts";
import type { Excerpt, ExcerptLine } from "./excerpts-of.ts";
import type { ScanResult } from "./scan-result.ts";

/** One finding of a card: what, where, the lines themselves, how they were decoded, and what makes it fine. */
export function htmlFinding(finding: Finding, result: ScanResult, title: string | undefined): string {
  const {
    rule,
    severity,
    file,
    line,
    message,
    chain,
    demoted,
    remedy,
    owasp,
    category,
    related = [],
  } = finding;
  const heading = title === undefined ? category : title;
  return [
    `<article class="finding ${severity}">`,
    `<h3><span class="level">${severity}</span> <span class="rule">${escapeHtml(rule)}</span> ${escapeHtml(heading)}</h3>`,
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

// Decoded text stands on no line, and archive members have none here: then the evidence is what there is.
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

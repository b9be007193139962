import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HTML_STYLE } from "./html-style.ts";
import { HtmlWriter } from "./html-writer.ts";
import type { ScanResult } from "./scan-result.ts";
import { makeFinding, makeResult, RULE } from "./testing/make-result.ts";

const OPTIONS = { version: "0.1.0", rules: [RULE] };

function renderHtml(results: readonly ScanResult[]): string {
  const parts: string[] = [];
  const writer = new HtmlWriter(OPTIONS, (text) => parts.push(text));
  for (const result of results) writer.add(result);
  writer.finish();
  return parts.join("");
}

/** The page without its style sheet. */
function pageOf(results: readonly ScanResult[]): string {
  return renderHtml(results).replace(HTML_STYLE, "");
}

/** All that a browser would take for a tag. */
function tagsOf(page: string): string[] {
  return page.match(/<[^>]*>/g) ?? [];
}

function dangerous(text: string): ScanResult {
  const finding = makeFinding({
    rule: text,
    file: text,
    message: text,
    evidence: text,
    remedy: text,
    demoted: text,
    owasp: [text],
    fingerprint: text,
    chain: [{ how: text, line: 3 }],
    related: [{ file: text, line: 4 }],
  });
  const values = [text];
  return makeResult({
    path: text,
    name: text,
    excerpts: new Map([[finding, [{ number: 7, text, mark: { start: 0, end: Math.min(2, text.length) } }]]]),
    report: {
      verdict: "dangerous",
      findings: [finding, { ...finding, severity: "info", line: 9 }],
      suppressed: [{ finding, reason: text }],
      coverage: [{ file: text, kind: "text", size: 1, state: "unread", reason: text }],
      capabilities: {
        network: values,
        commands: values,
        paths: values,
        secrets: values,
        persistence: values,
        agentConfig: values,
        packages: values,
        remoteInstructions: values,
      },
      ruleSet: text,
      opinion: { verdict: "dangerous", by: text, reasons: [text] },
    },
  });
}

describe("the HTML report", () => {
  test("lets nothing be loaded and no script run, and allows exactly its own style", () => {
    const hash = createHash("sha256").update(HTML_STYLE).digest("base64");
    const page = renderHtml([dangerous("x")]);
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">`,
    );
    expect(page).toContain(`<style>${HTML_STYLE}</style>`);
    expect(page).not.toMatch(/<(?:script|img|link|iframe|a|form|object)\b|\b(?:src|href|style|on\w+)=/i);
  });

  test("has the same tags whatever the text of a skill is: none of it becomes markup", () => {
    const plain = tagsOf(pageOf([dangerous("plain")]));
    const hostile = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constantFrom(
        "<script>alert(1)</script>",
        "</code></pre><img src=x onerror=alert(1)>",
        '" onmouseover="alert(1)',
        "' onmouseover='alert(1)",
        "<!--",
        "]]>",
        "&lt;script&gt;",
        "</style><script>",
      ),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        expect(tagsOf(pageOf([dangerous(text)]))).toEqual(plain);
      }),
    );
  });

  test("spells out what could not be seen", () => {
    const page = pageOf([dangerous("a\u202eb\u{e0041}c\x1b")]);
    expect(page).toContain("a⟨U+202E⟩b⟨U+E0041⟩c⟨U+001B⟩");
    for (const character of ["\u202e", "\u{e0041}", "\x1b"]) expect(page).not.toContain(character);
  });

  test("marks the offending part of the line", () => {
    const finding = makeFinding();
    const result = makeResult({
      excerpts: new Map([
        [
          finding,
          [
            { number: 6, text: "before" },
            { number: 7, text: "run curl now", mark: { start: 4, end: 8 } },
          ],
        ],
      ]),
      report: { verdict: "dangerous", findings: [finding] },
    });
    expect(pageOf([result])).toContain(
      '<span class="number">6</span>before\n<span class="number">7</span>run <mark>curl</mark> now',
    );
  });

  test("counts verdicts, puts the worst first and gives safe skills a line", () => {
    const caution = makeResult({ name: "second", report: { verdict: "caution" } });
    const page = pageOf([makeResult({ name: "third" }), caution, dangerous("first")]);
    expect(page).toContain('<li class="dangerous"><b>1</b><span>dangerous</span></li>');
    const order = ["<h2>first</h2>", "<h2>second</h2>", "<li>third "].map((text) => page.indexOf(text));
    expect(order).toEqual([...order].sort((left, right) => left - right));
    expect(order).not.toContain(-1);
  });

  test("lists so many findings of a skill, and counts the rest", () => {
    const findings = Array.from({ length: 130 }, (_, line) => makeFinding({ line }));
    const page = pageOf([makeResult({ report: { verdict: "dangerous", findings } })]);
    expect(page.match(/<article/g)?.length).toBe(100);
    expect(page).toContain("and 30 more findings");
  });
});

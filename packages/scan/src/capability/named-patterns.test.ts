import { expect, test } from "vitest";
import { scanSkill } from "../scan-skill.ts";

const SKILL =
  "---\nname: notes\ndescription: Formats notes into tables.\n---\n\n# Notes\n\nRun the script.\n";

test.each([
  ["run.js", 'require("child_process").exec(process.argv[2])', "child_process.exec"],
  ["run.js", "eval(process.argv[2])", "eval"],
  ["run.js", "new Function(process.argv[2])()", "Function"],
  ["run.py", "import sys\nexec(sys.argv[1])", "exec"],
  ["run.py", "import sys, subprocess\nsubprocess.run(sys.argv[1], shell=True)", "subprocess.run"],
  ["run.sh", 'eval "$1"', "eval"],
  ["run.sh", 'bash -c "$1"', "bash"],
  ["run.ps1", "iex $args", "iex"],
])("%s: %j is listed as a command made at run time", async (name, text, by) => {
  const { capabilities } = await scan(`scripts/${name}`, text);
  expect(capabilities.commands).toContain(`${by} (made at run time)`);
});

test("a program that is imported and called in one expression is listed", async () => {
  const { capabilities } = await scan("scripts/run.py", '__import__("os").system("id")');
  expect(capabilities.commands).toEqual(["id"]);
});

test.each([
  ["config.yaml", "api:\n  url: https://api.acme.test/v1\n"],
  ["config.json", '{"endpoint": "https://api.acme.test/v1"}'],
  ["config.toml", '[server]\nurl = "https://api.acme.test/v1"\n'],
])("the host of an address in %s is listed, and nothing is found", async (name, text) => {
  const { capabilities, findings } = await scan(name, text);
  expect({ network: capabilities.network, findings }).toEqual({ network: ["api.acme.test"], findings: [] });
});

test.each([
  ["hook: https://webhook.site/abc", "webhook.site"],
  ["collector: http://185.199.1.2/collect", "185.199.1.2"],
])("a request bin or a bare address in settings is found: %s", async (text, host) => {
  const { capabilities, findings } = await scan("config.yaml", `${text}\n`);
  expect(capabilities).toMatchObject({ network: [host], commands: [] });
  expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(["DX3 warn"]);
});

test.each([
  ["- `--size small|large|huge`: how long\n", []],
  ["Where it says `no such branch`, fetch first.\n", []],
  ["Then run `tidy --all` and `jq .`.\n", ["jq", "tidy"]],
  ["```ini\n[alias]\n    amend = commit --amend\n    top = !tidy --all | jq .\n```\n", ["jq", "tidy"]],
])("%j lists what is run, and no marked word that only reads like it", async (text, commands) => {
  const { capabilities } = await scan("notes.md", text);
  expect(capabilities.commands).toEqual(commands);
});

test("a variable that a sentence names is read from the environment where it is a secret", async () => {
  const { capabilities } = await scan("notes.md", "Use `tmux -S $SOCKET` and `gh auth login $GH_TOKEN`.\n");
  expect(capabilities.secrets).toEqual(["GH_TOKEN"]);
});

function scan(path: string, text: string): ReturnType<typeof scanSkill> {
  return scanSkill([
    { path: "SKILL.md", mode: "644", bytes: Buffer.from(SKILL) },
    { path, mode: "755", bytes: Buffer.from(text) },
  ]);
}

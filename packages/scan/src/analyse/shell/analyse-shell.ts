import { runBatch, runPosix, runPowershell, ShellMachine } from "@skillet/shell";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { ShellFacts } from "./shell-facts.ts";
import { stripPrompts } from "./strip-prompts.ts";

export function analyseShell(source: SourceText): Analysis {
  const isScript = source.medium === "script";
  const facts = new ShellFacts(source);
  const text = isScript ? source.text : stripPrompts(source.text);
  const fault = runPosix(text, new ShellMachine(source, facts));
  if (fault !== undefined && isScript && source.chain.length === 0)
    facts.unread(`a shell script does not parse: ${fault}`);
  return facts.analysis;
}

export function analysePowershell(source: SourceText): Analysis {
  const facts = new ShellFacts(source);
  runPowershell(source.text, new ShellMachine(source, facts));
  return facts.analysis;
}

export function analyseBatch(source: SourceText): Analysis {
  const facts = new ShellFacts(source);
  runBatch(source.text, new ShellMachine(source, facts));
  return facts.analysis;
}

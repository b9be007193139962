import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { Recorder } from "./recorder.ts";

const MAX_COMMANDS = 200;

/** Hands the commands of `do shell script "…"` on as shell. */
export function analyseApplescript(source: SourceText): Analysis {
  const recorder = new Recorder(source);
  if (!source.text.includes("do shell script")) return recorder.analysis;
  let line = source.firstLine;
  let counted = 0;
  let commands = 0;
  for (const match of source.text.matchAll(/do shell script\s{1,20}\(?\s{0,5}"((?:[^"\\]|\\.){1,8000})"/g)) {
    if (commands++ >= MAX_COMMANDS) {
      recorder.unread(`it runs more than ${MAX_COMMANDS} shell scripts`);
      break;
    }
    if (source.keepsLines) {
      line += source.text.slice(counted, match.index).split("\n").length - 1;
      counted = match.index;
    }
    const command = (match[1] ?? "").replace(/\\(.)/g, "$1");
    recorder.text("shell", command, { line, snippet: match[0], chain: source.chain });
  }
  if (/with administrator privileges/.test(source.text))
    recorder.act(
      { type: "privilege", how: "sudo", detail: "with administrator privileges" },
      { line: source.firstLine, snippet: "with administrator privileges", chain: source.chain },
    );
  return recorder.analysis;
}

import { MAX_PARSED_CHARACTERS } from "../../scan-limits.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis, Siblings } from "../analyser.ts";
import { analyseOtherCode } from "./analyse-other-code.ts";
import { Evaluator } from "./evaluator.ts";
import { display, FactRecorder } from "./fact-recorder.ts";
import { lowerProgram } from "./lower-program.ts";
import { ModuleStore } from "./module-store.ts";
import type { Program, Remark } from "./program-tree.ts";

/** Python, JavaScript and TypeScript. */
export function analyseProgram(source: SourceText, siblings?: Siblings): Analysis {
  if (source.text.length > MAX_PARSED_CHARACTERS) return readAsText(source);
  const store = siblings === undefined ? undefined : ModuleStore.of(siblings);
  const program = store?.lower(source) ?? lowerProgram(source);
  const recorder = new FactRecorder(source);
  const modules = store?.seenFrom(source.file, program.language);
  const evaluator = new Evaluator({ program, recorder, modules });
  evaluator.run();
  concludeSigns(evaluator, recorder);
  const news = store?.takeNews();
  const texts = [
    ...recorder.texts,
    ...remarkTexts(source, program.remarks, recorder),
    ...(news?.texts ?? []),
  ];
  const unread = unreadOf(source, program, evaluator);
  return {
    facts: [...recorder.facts, ...(news?.facts ?? [])],
    texts,
    ...(unread === undefined ? {} : { unread }),
  };
}

/** Line by line, as languages without a parser are: whatever is spelled out is still seen. */
function readAsText(source: SourceText): Analysis {
  const unread = `code is longer than ${MAX_PARSED_CHARACTERS} characters: read as text, not parsed`;
  return { ...analyseOtherCode(source), unread };
}

/** Deeds that only two halves make. */
function concludeSigns({ signs }: Evaluator, recorder: FactRecorder): void {
  if (signs.socketOnDescriptor !== undefined && signs.ranShell) {
    const { span, host } = signs.socketOnDescriptor;
    const how = "a socket becomes the input and output of a shell";
    recorder.act({ type: "remote-shell", host: display(host), how }, span);
  }
  for (const [path, span] of signs.encryptedPaths) {
    const shown = display(path);
    const isOfPerson = /^(?:~|\/(?:home|Users|root)?(?:\/|$)|[A-Za-z]:)/.test(shown) && shown.includes("*");
    const isReplaced = [...signs.removedPaths].some((removed) => path.startsWith(removed));
    const detail = `${shown} is encrypted and the original removed`;
    if (isOfPerson && isReplaced) recorder.act({ type: "destroy", what: "encrypt", detail }, span);
  }
}

function unreadOf(source: SourceText, program: Program, evaluator: Evaluator): string | undefined {
  if (program.isCut || evaluator.isCut) return "code is nested deeper than is followed";
  // Code inside a text has gaps where the program fills something in.
  if (!source.keepsLines) return undefined;
  // Newer syntax and templates leave a few odd characters; a fifth is another language or a disguise.
  if (program.errorCharacters >= 20 && program.errorCharacters * 5 > source.text.length)
    return `${program.errorCharacters} characters could not be parsed`;
  return undefined;
}

const MIN_REMARK_CHARACTERS = 20;
const MAX_REMARKS = 200;

function remarkTexts(
  source: SourceText,
  remarks: readonly Remark[],
  recorder: FactRecorder,
): readonly SourceText[] {
  const texts: SourceText[] = [];
  for (const remark of remarks) {
    if (texts.length >= MAX_REMARKS) break;
    for (const { text, stance } of partsOf(remark)) {
      if (text.length <= MIN_REMARK_CHARACTERS || !speaks(text)) continue;
      if (!/\s/.test(text.trim()) && !OTHER_SCRIPT.test(text)) continue;
      texts.push({
        ...source,
        text,
        language: "markdown",
        firstLine: recorder.lineOf(remark.from),
        medium: remark.kind === "string" ? "config" : "comment",
        stance: source.stance === "live" ? stance : source.stance,
        isRepetition: false,
      });
    }
  }
  return texts;
}

/** The words of a comment, and the code that it shows, which no one runs; both keep their lines. */
function partsOf({ text }: Remark): readonly Pick<SourceText, "text" | "stance">[] {
  if (!text.includes("```") && !text.includes("@example")) return [{ text, stance: "live" }];
  const said: string[] = [];
  const shown: string[] = [];
  let isFenced = false;
  let isExample = false;
  for (const line of text.split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    const tag = isFenced ? undefined : /^\s*@(\w+)/.exec(line)?.[1];
    if (tag !== undefined) isExample = tag === "example";
    const isShown = isFence || isFenced || isExample;
    said.push(isShown ? "" : line);
    shown.push(isShown ? line : "");
    if (isFence) isFenced = !isFenced;
  }
  return [
    { text: said.join("\n"), stance: "live" },
    { text: shown.join("\n"), stance: "example" },
  ];
}

/** Whether someone tells a reader, above all a model, what to do; other scripts always count. */
function speaks(text: string): boolean {
  return SPEAKING.test(text) || OTHER_SCRIPT.test(text);
}

const SPEAKING =
  /\b(?:you|your|must|always|never|ignore|disregard|forget|override|instructions?|prompt|assistant|agent|model|claude|gpt|llm|ai|system|user|secret(?:ly)?|silent(?:ly)?|important|required?|send|upload|execute|run|fetch|download|install|paste|copy|do not|don't)\b/i;
const OTHER_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u;

import { MAX_PARSED_CHARACTERS } from "../../scan-limits.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import type { Siblings } from "../siblings.ts";
import { analyseOtherCode } from "./analyse-other-code.ts";
import { Evaluator } from "./evaluator.ts";
import { display, FactRecorder } from "./fact-recorder.ts";
import { lowerProgram } from "./lower-program.ts";
import { ModuleStore } from "./module-store.ts";
import type { Program } from "./program-tree.ts";
import { remarkTexts } from "./remark-texts.ts";

/** Evaluates a program, and says what it does and what it says. */
export function analyseProgram(source: SourceText, siblings: Siblings | undefined): Analysis {
  if (source.text.length > MAX_PARSED_CHARACTERS) return readAsText(source);
  const store = siblings === undefined ? undefined : ModuleStore.of(siblings);
  const { program, language, api } = store?.lower(source) ?? lowerProgram(source);
  const recorder = new FactRecorder(source);
  const modules = store?.seenFrom(source.file, language, api);
  const evaluator = new Evaluator({ language, api, recorder, modules });
  evaluator.run(program.body);
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
  if (signs.socketOnDescriptor !== undefined && signs.ranShell)
    recorder.act(signs.socketOnDescriptor.span, {
      type: "remote-shell",
      host: display(signs.socketOnDescriptor.host),
      how: "a socket becomes the input and output of a shell",
    });
  for (const [path, span] of signs.encryptedPaths) {
    const shown = display(path);
    const isOfPerson = /^(?:~|\/(?:home|Users|root)?(?:\/|$)|[A-Za-z]:)/.test(shown) && shown.includes("*");
    const isReplaced = [...signs.removedPaths].some((removed) => path.startsWith(removed));
    if (isOfPerson && isReplaced)
      recorder.act(span, {
        type: "destroy",
        what: "encrypt",
        detail: `${shown} is encrypted and the original removed`,
      });
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

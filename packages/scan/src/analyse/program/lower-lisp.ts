import type { SourceText } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import { readEscapes } from "../read-escapes.ts";
import { otherApi } from "./other-api.ts";
import { callOf } from "./other-expression.ts";
import type { Expression, Program } from "./program-tree.ts";
import { MAX_TOKENS, TOO_LONG } from "./read-tokens.ts";
import { assignment } from "./syntax-reader.ts";

/** Reads Emacs Lisp, Clojure and Scheme: a list is a call of its head, and binding forms are assignments. */
export function lowerLisp({ text, file }: SourceText): Program {
  const open: { readonly from: number; readonly isCall: boolean; readonly items: Expression[] }[] = [];
  const body: Expression[] = [];
  let count = 0;
  for (const { 0: word, index: from } of text.matchAll(TOKEN)) {
    if (count++ >= MAX_TOKENS) break;
    const span = { from, to: from + word.length };
    const items = open.at(-1)?.items ?? body;
    if (/^[([{]$/.test(word)) open.push({ from, isCall: word === "(", items: [] });
    else if (/^[)\]}]$/.test(word)) {
      const list = open.pop();
      if (list !== undefined) (open.at(-1)?.items ?? body).push(formOf(list, span.to));
    } else if (/^["0-9:]/.test(word))
      items.push({ kind: "literal", value: readEscapes(word.replace(/^[":]|"$/g, "")), ...span });
    else if (/^[^\s;'`,@#]/.test(word))
      // In Clojure, `File/read` is a member and `File.` a constructor.
      items.push({ kind: "name", name: word.replace(/\.$/, "").replaceAll("/", "."), ...span });
  }
  for (let list = open.pop(); list !== undefined; list = open.pop())
    (open.at(-1)?.items ?? body).push(formOf(list, text.length));
  const statements = body.map((value) => ({
    kind: "expression" as const,
    value,
    from: value.from,
    to: value.to,
  }));
  const cut = count > MAX_TOKENS ? TOO_LONG : undefined;
  return { language: "code", api: otherApi(file), body: statements, remarks: [], errorCharacters: 0, cut };
}

// An unclosed token extends to the end, so that no part is read twice.
const TOKEN =
  /;[^\n]*|#\|[\s\S]*?(?:\|#|(?![\s\S]))|"(?:[^"\\]|\\[\s\S])*"?|[()[\]{}]|\s+|[^\s()[\]{}"';,`@#]+|[\s\S]/g;

const BINDING: ReadonlySet<string> = wordSet(
  "let let* letrec when-let if-let when-let* if-let* binding loop with-open",
);
const ASSIGNING: ReadonlySet<string> = wordSet(
  "setq setf def defonce define defvar defconst defparameter set!",
);

function formOf(
  { from, isCall, items }: { readonly from: number; readonly isCall: boolean; readonly items: Expression[] },
  to: number,
): Expression {
  const [head, first, ...others] = items;
  if (!isCall || head === undefined) return { kind: "list", items, from, to };
  const word = head.kind === "name" ? head.name : "";
  if (first !== undefined && BINDING.has(word))
    return { kind: "sequence", items: [...bound(first), ...others], from, to };
  if (ASSIGNING.has(word)) return { kind: "sequence", items: pairs(items.slice(1)), from, to };
  return callOf(head, { items: items.slice(1) }, { from, to });
}

/** `[name value …]` in Clojure, `((name value) …)` in the others. */
function bound(list: Expression): readonly Expression[] {
  if (list.kind === "list") return pairs(list.items);
  if (list.kind !== "call") return [];
  return [list.callee, ...list.positional].flatMap((pair) =>
    pair.kind === "call" ? pairs([pair.callee, ...pair.positional]) : [],
  );
}

function pairs(items: readonly Expression[]): Expression[] {
  return items.flatMap((target, index) => {
    const value = items[index + 1];
    return index % 2 === 0 && value !== undefined ? [assignment(target, "=", value, target)] : [];
  });
}

import type { Destination, Effect, Source } from "@skillet/shell";
import type { Derivation, Medium, SourceText, Stance } from "../text/source-text.ts";
import { addTo } from "../word-list.ts";

export interface FactPlace {
  readonly file: string;
  readonly line: number;
  /** The words that show it, unredacted and at most `MAX_SNIPPET_CHARACTERS` long. */
  readonly snippet: string;
  readonly chain: readonly Derivation[];
  readonly medium: Medium;
  readonly stance: Stance;
  readonly section: readonly string[];
  readonly isFixture: boolean;
}

export type Act =
  | Effect
  /** An address in a setting, for a program to call. */
  | { readonly type: "contact"; readonly url: string; readonly host: string }
  | { readonly type: "install-hook"; readonly hook: string; readonly command: string }
  | {
      readonly type: "literal-secret";
      readonly provider: string;
      readonly isPlaceholder: boolean;
      readonly isPrivateKey: boolean;
    };

export type { SecretKind } from "@skillet/shell";

/** Where data comes from; `conversation` covers what was said, the system prompt and the agent's memory. */
export type DataSource = Source | { readonly type: "conversation" };

export type Sink =
  | Destination
  | { readonly type: "execute"; readonly how: "library" | "deserialise"; readonly by: string }
  | {
      readonly type: "network";
      readonly how: "browser";
      readonly url?: string | undefined;
      readonly host?: string | undefined;
    }
  /** Into what the model obeys: fetch a page and do what it says. */
  | { readonly type: "instructions" };

/** An observation, without judgement; rules join facts. */
export type Fact =
  | FlowFact
  | ActFact
  | ClauseFact
  | HiddenFact
  | AnomalyFact
  | LinkFact
  | DeclarationFact
  | MatchFact
  | UnreadFact;

export interface FlowFact extends FactPlace {
  readonly kind: "flow";
  readonly sources: readonly DataSource[];
  readonly sink: Sink;
  /** The lines in between, for the reader: `line 3: key = open(…).read()`. */
  readonly steps: readonly string[];
}

export interface ActFact extends FactPlace {
  readonly kind: "act";
  readonly act: Act;
}

/** One clause of prose for the language rules; `text` is folded: lower case, no confusables or ignorables. */
export interface ClauseFact extends FactPlace {
  readonly kind: "clause";
  readonly text: string;
  /** Its number in the file, so that rules can ask for neighbours. */
  readonly index: number;
  readonly links?: readonly string[] | undefined;
}

export interface HiddenFact extends FactPlace {
  readonly kind: "hidden";
  readonly how:
    | "html-comment"
    | "markdown-comment"
    | "invisible-style"
    | "attribute"
    | "tag-characters"
    | "variation-selectors"
    | "zero-width"
    | "metadata";
  readonly text: string;
}

export interface AnomalyFact extends FactPlace {
  readonly kind: "anomaly";
  readonly what: Anomaly;
  readonly detail: string;
}

export type Anomaly = OddText | OddCode | OddFile | OddArchive;
type OddText = "bidi-override" | "invisible-characters" | "homoglyph" | "blank-run" | "opaque-recipe";
type OddCode =
  | "long-line"
  | "packed-code"
  | "assembled-address"
  | "bytecode-without-source"
  | "active-markup";
type OddFile =
  | "magic-mismatch"
  | "double-extension"
  | "executable"
  | "macro"
  | "active-document"
  | "shortcut";
type OddArchive = "encrypted-archive" | "nested-archive" | "archive-bomb" | "escaping-path";

export interface LinkFact extends FactPlace {
  readonly kind: "link";
  readonly url: string;
  readonly label: string;
  readonly role: "link" | "image" | "bare" | "embed";
}

export interface DeclarationFact extends FactPlace {
  readonly kind: "declaration";
  readonly what: "name" | "description" | "homepage" | "host" | "no-network" | "read-only" | "install";
  readonly value: string;
}

interface MatchFact extends FactPlace {
  readonly kind: "match";
  readonly rule: string;
}

export interface UnreadFact extends FactPlace {
  readonly kind: "unread";
  readonly reason: string;
}

// Most facts are clauses: listing the fields in one fixed shape takes a fifth of the time of a spread.
export function clauseFact(
  { file, line, snippet, chain, medium, stance, section, isFixture }: FactPlace,
  text: string,
  index: number,
  links?: readonly string[],
): ClauseFact {
  const kind = "clause";
  return { file, line, snippet, chain, medium, stance, section, isFixture, kind, text, index, links };
}

export function placeOf(fact: FactPlace): FactPlace {
  const { file, line, snippet, chain, medium, stance, section, isFixture } = fact;
  return { file, line, snippet, chain, medium, stance, section, isFixture };
}

export function wholeFile(file: string, snippet: string, isFixture: boolean): FactPlace {
  return { file, line: 1, snippet, chain: [], medium: "data", stance: "live", section: [], isFixture };
}

export const MAX_SNIPPET_CHARACTERS = 400;

export function placeIn(
  source: SourceText,
  line: number,
  words: string,
  { medium, stance, section }: Pick<SourceText, "medium" | "stance" | "section"> = source,
): FactPlace {
  const { file, chain, isFixture } = source;
  const snippet = words.slice(0, MAX_SNIPPET_CHARACTERS);
  return { file, line, snippet, chain, medium, stance, section, isFixture };
}

export type ActOf<Type extends Act["type"]> = ActFact & {
  readonly act: Extract<Act, { readonly type: Type }>;
};
export type FlowInto<Type extends Sink["type"]> = FlowFact & {
  readonly sink: Extract<Sink, { readonly type: Type }>;
};

export class FactBook {
  readonly all: readonly Fact[];
  readonly #byKind: ReadonlyMap<Fact["kind"], readonly Fact[]>;

  constructor(facts: readonly Fact[]) {
    this.all = facts;
    const byKind = new Map<Fact["kind"], Fact[]>();
    for (const fact of facts) addTo(byKind, fact.kind, fact);
    this.#byKind = byKind;
  }

  of<Kind extends Fact["kind"]>(kind: Kind): readonly Extract<Fact, { readonly kind: Kind }>[] {
    return (this.#byKind.get(kind) ?? []) as readonly Extract<Fact, { readonly kind: Kind }>[];
  }

  acts<Type extends Act["type"]>(type: Type): readonly ActOf<Type>[] {
    return this.of("act").filter((fact): fact is ActOf<Type> => fact.act.type === type);
  }

  flowsInto<Type extends Sink["type"]>(type: Type): readonly FlowInto<Type>[] {
    return this.of("flow").filter((fact): fact is FlowInto<Type> => fact.sink.type === type);
  }
}

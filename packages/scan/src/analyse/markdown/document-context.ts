import type { MarkdownBlock } from "@skillet/kit/markdown";
import { foldText } from "../../text/fold-text.ts";
import type { Medium, Stance } from "../../text/source-text.ts";
import type { PlaceContext } from "./document-place.ts";
import {
  columnStance,
  forbidsCode,
  headingStance,
  introducedStance,
  isActionHeading,
  isDemanding,
  marksAsBad,
  plainlyRunsWhatStandsAbove,
  runsWhatFollows,
  runsWhatStandsAbove,
} from "./stance.ts";

export class DocumentContext {
  readonly #sections: Section[] = [];
  readonly #isDefensive: boolean;
  #section: readonly string[] = [];
  #introduction: { readonly clause: string; readonly block: MarkdownBlock } | undefined;
  #group: Group | undefined;

  constructor({ isDefensive }: { readonly isDefensive: boolean }) {
    this.#isDefensive = isDefensive;
  }

  /** The context of a block, to be asked once and in order; `next` is the block after it. */
  enter(block: MarkdownBlock, next: MarkdownBlock | undefined): PlaceContext {
    const introduction = this.#introduction?.clause ?? "";
    const introduced = this.#introducedStance(block);
    const own = introduced === "live" ? this.#ownStance(block) : introduced;
    const stance = block.kind === "code" ? this.#codeStance(block, own, introduction, next) : own;
    return { medium: mediumOf(block), stance, section: this.#section };
  }

  /**
   * Code runs as well under a sentence that calls it an attack or forbids something else. It is a specimen where the document is
   * about attacks, or where it is itself forbidden or marked as bad, by its heading, its introduction or its first line, and
   * nothing around has it run.
   */
  #codeStance(
    block: MarkdownBlock,
    stance: Stance,
    introduction: string,
    next: MarkdownBlock | undefined,
  ): Stance {
    if (stance === "live") {
      if (fenceStance(block.text) === "live" || isDemanding(introduction)) return "live";
      if (!this.#isDefensive && runsWhatFollows(introduction)) return "live";
    } else if (!this.#isDefensive) {
      if (runsWhatFollows(introduction)) return "live";
      if (!this.#isMarked(block, introduction) && !(stance === "negated" && this.#isForbidden(introduction)))
        return "live";
    }
    const following = next === undefined || next.kind === "code" ? "" : foldText(next.text.slice(0, 400));
    const isRun = this.#isDefensive ? plainlyRunsWhatStandsAbove(following) : runsWhatStandsAbove(following);
    if (isRun) return "live";
    return stance === "live" ? "example" : stance;
  }

  #isMarked(block: MarkdownBlock, introduction: string): boolean {
    const heading = foldText(this.#sections.at(-1)?.title ?? "");
    return marksAsBad(introduction) || marksAsBad(heading) || fenceStance(block.text) !== "live";
  }

  #isForbidden(introduction: string): boolean {
    const section = this.#sections.at(-1)?.forbidsCode === true;
    return section || this.#group?.forbidsCode === true || forbidsCode(introduction);
  }

  noteHeading(title: string, level: number): void {
    while ((this.#sections.at(-1)?.level ?? 0) >= level) this.#sections.pop();
    const folded = foldText(title);
    const own = headingStance(folded);
    const above = this.#sections.at(-1);
    const inherits = own === "live" && !isActionHeading(folded) && above !== undefined;
    this.#sections.push({
      level,
      title: title.slice(0, MAX_TITLE_CHARACTERS),
      stance: inherits ? above.stance : own,
      forbidsCode: inherits ? above.forbidsCode : own === "negated" && forbidsCode(folded),
    });
    this.#section = this.#sections.map((section) => section.title);
    this.#group = undefined;
  }

  /** Takes the last clause of a block, folded: it may introduce what follows. */
  noteLastClause(block: MarkdownBlock, clause: string): void {
    this.#introduction = { clause, block };
  }

  #introducedStance(block: MarkdownBlock): Stance {
    const introduction = this.#introduction;
    this.#introduction = undefined;
    if (introduction !== undefined) {
      const before = introduction.block;
      const isCode = block.kind === "code" && block.listDepth >= before.listDepth;
      const isNewGroup = block.group !== 0 && block.group !== before.group;
      const isGroup = isNewGroup || (block.group === before.group && block.listDepth > before.listDepth);
      // Most last clauses introduce nothing, so they are judged only where something follows.
      const stance = isCode || isGroup ? introducedStance(introduction.clause) : "live";
      if (stance !== "live") {
        if (isCode) return stance;
        this.#group = {
          id: block.group,
          listDepth: isNewGroup ? 0 : before.listDepth,
          stance,
          forbidsCode: forbidsCode(introduction.clause),
        };
      }
    }
    const group = this.#group;
    if (group === undefined) return "live";
    if (block.group === group.id && (block.listDepth > group.listDepth || group.listDepth === 0))
      return group.stance;
    this.#group = undefined;
    return "live";
  }

  #ownStance(block: MarkdownBlock): Stance {
    if (block.kind === "heading") return "live";
    if (block.columnHeading !== undefined) {
      const column = columnStance(foldText(block.columnHeading), { isDefensive: this.#isDefensive });
      if (column !== "live") return column;
    }
    return this.#sections.at(-1)?.stance ?? "live";
  }
}

interface Sway {
  readonly stance: Stance;
  /** Whether it forbids to run or to write what is below, rather than something else. */
  readonly forbidsCode: boolean;
}

interface Section extends Sway {
  readonly level: number;
  readonly title: string;
}

interface Group extends Sway {
  readonly id: number;
  readonly listDepth: number;
}

const MAX_TITLE_CHARACTERS = 120;

function mediumOf(block: MarkdownBlock): Medium {
  if (block.kind === "code") return "fence";
  if (block.kind === "cell") return "table";
  if (block.kind === "heading") return "heading";
  if (block.kind === "html") return "markup";
  if (block.quoteDepth > 0) return "quote";
  return block.listDepth > 0 ? "list" : "prose";
}

function fenceStance(code: string): Stance {
  const first = /^\s{0,200}([^\n]{0,160})/.exec(code)?.[1] ?? "";
  return BAD_COMMENT.test(first) ? "example" : "live";
}

const BAD_COMMENT =
  /^(?:#|\/\/|--|<!--|;|\/\*|rem\b|%)[#/*\s]{0,6}(?:[❌✗✘🚫⛔]|(?:bad|wrong|incorrect|vulnerable|insecure|malicious|unsafe|don't do this|do not do this|never do this|anti-?pattern)(?:\s{0,4}[:：(!.-]|\s{0,4}$|\s{1,4}(?:example|code|pattern|skill|practice)))/iu;

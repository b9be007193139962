/** The tags that Skillet itself writes for a model; no text of a skill or a child may bring its own. */
const TAGS = ["skill_content", "skill_resources", "available_skills"];

/**
 * Escapes the opening bracket of every tag in a text that looks like one of Skillet's own.
 *
 * A model reads tags more kindly than a parser does: it is enough that a tag looks so in compatibility form, without
 * invisible characters, in any case, with anything but letters before its name, and half open.
 */
export function protectTags(text: string): string {
  const view = PRINTABLE_ASCII.test(text) ? { text } : viewOf(text);
  let result = "";
  let done = 0;
  for (const match of view.text.matchAll(TAG)) {
    const at = view.places?.[match.index] ?? match.index;
    result += `${text.slice(done, at)}&lt;`;
    done = at + 1;
  }
  return result + text.slice(done);
}

const TAG = new RegExp(`<(?=[^\\p{L}\\p{N}<]*(?:${TAGS.join("|")}))`, "giu");
const PRINTABLE_ASCII = /^[\t\n\r -~]*$/;

/** A text as it looks, and where each of its units stands in the text itself. */
interface View {
  readonly text: string;
  readonly places?: readonly number[];
}

function viewOf(text: string): View {
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const seen = character <= "~" && character >= " " ? character : seenAs(character);
    parts.push(seen);
    for (let unit = 0; unit < seen.length; unit++) places.push(at);
    at += character.length;
  }
  return { text: parts.join(""), places };
}

function seenAs(character: string): string {
  return INVISIBLE.test(character) ? "" : character.normalize("NFKC");
}

const INVISIBLE = /(?![\t\n\v\f\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

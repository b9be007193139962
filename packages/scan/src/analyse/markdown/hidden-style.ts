import type { MarkupAttribute } from "./markup-tokens.ts";

/** Whether an element with these attributes cannot be seen by somebody who looks at the rendered page. */
export function isInvisible(attributes: readonly MarkupAttribute[]): boolean {
  return attributes.some(hides);
}

function hides({ name, value }: MarkupAttribute): boolean {
  switch (name) {
    case "style":
      return isHiddenStyle(value);
    case "hidden":
      return value.toLowerCase() !== "until-found";
    case "aria-hidden":
      return value.toLowerCase() === "true";
    case "class":
      return HIDING_CLASS.test(value);
    case "display":
      return value === "none";
    case "visibility":
      return value === "hidden";
    case "opacity":
    case "fill-opacity":
    case "font-size":
      return /^\s{0,4}(?:0?\.0|0)\d{0,4}(?:px|pt|em|rem|%)?\s{0,4}$/.test(value);
    case "color":
    case "fill":
      return /^(?:transparent|white|#fff(?:fff)?)$/i.test(value.trim());
    default:
      return false;
  }
}

const HIDING_CLASS = /(?:^|\s)(?:sr-only|visually-hidden|d-none|invisible|hidden)(?:\s|$)/;
const MAX_STYLE_CHARACTERS = 4_000;

function isHiddenStyle(style: string): boolean {
  const compact = style
    .slice(0, MAX_STYLE_CHARACTERS)
    .replace(/\/\*[^*]{0,200}\*\//g, "")
    .replace(/\s+/g, "")
    .toLowerCase();
  return HIDING.test(compact) || isOnOwnColour(compact) || (CLIPPED.test(compact) && SMALL.test(compact));
}

const HIDING =
  /display:none|visibility:(?:hidden|collapse)|font-size:(?:0|0?\.\d{1,4}|1)(?:px|pt|em|rem|%)?(?![\d.])|(?:^|;)opacity:(?:0?\.0\d{0,4}|0)(?![.\d])|(?:^|;)(?:color|-webkit-text-fill-color):(?:transparent|rgba\(\d{1,3},\d{1,3},\d{1,3},0?\.?0\))|(?:left|top|right|bottom|text-indent|margin-left|margin-top):-\d{3,}|clip:rect\((?:0|1px)|clip-path:inset\((?:50|100)%|scale\(0\)|line-height:0(?![.\d])|max-height:0(?![.\d])/;
const CLIPPED = /overflow:(?:hidden|clip)/;
const SMALL = /(?:^|;)(?:width|height):(?:0|1px)/;
const COLOUR = /(?:^|;)color:([^;!]{1,40})/;
const GROUND = /(?:^|;)background(?:-color)?:([^;!]{1,40})/;

function isOnOwnColour(compact: string): boolean {
  const colour = COLOUR.exec(compact)?.[1];
  if (colour === undefined) return false;
  const ground = GROUND.exec(compact)?.[1];
  // A document that names no ground is white.
  return plainColour(colour) === plainColour(ground ?? "white");
}

function plainColour(colour: string): string {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(colour);
  if (short !== null)
    return plainColour(`#${short[1]}${short[1]}${short[2]}${short[2]}${short[3]}${short[3]}`);
  if (colour === "#ffffff" || /^rgba?\(255,255,255(?:,1)?\)$/.test(colour)) return "white";
  if (colour === "#000000" || /^rgba?\(0,0,0(?:,1)?\)$/.test(colour)) return "black";
  return colour;
}

import type { Quantiles } from "./random.ts";

/**
 * Shares of what headers look like, measured over 2,451 public skills, each as a share of all skills.
 *
 * Two are raised on purpose because they are the expensive ones: flow maps (32 % in the wild) and headers that
 * need a repair (2 %).
 */
export const SHARES = {
  noFrontmatter: 0.045,
  flowMapMetadata: 0.44,
  blockMapMetadata: 0.07,
  unquotedColon: 0.06,
  doubleQuotedDescription: 0.07,
  literalDescription: 0.035,
  foldedDescription: 0.015,
  homepage: 0.155,
  version: 0.135,
  author: 0.075,
  blockList: 0.08,
  flowList: 0.035,
  license: 0.03,
  allowedTools: 0.02,
  userInvocable: 0.025,
  nameDiffersFromFolder: 0.2,
  carriageReturns: 0.02,
  byteOrderMark: 0.001,
  chineseText: 0.02,
  nonAsciiBody: 0.58,
  /** Only SKILL.md files were measured, so this one is an assumption. */
  subfolders: 0.25,
} as const;

/** Characters of a description. */
export const DESCRIPTION_LENGTH: Quantiles = [
  [0, 20],
  [0.05, 52],
  [0.1, 68],
  [0.25, 91],
  [0.5, 157],
  [0.75, 264],
  [0.9, 363],
  [0.95, 444],
  [0.99, 595],
  [1, 1011],
];

/** Characters of the Markdown below the header. */
export const BODY_LENGTH: Quantiles = [
  [0, 40],
  [0.05, 555],
  [0.1, 914],
  [0.25, 1754],
  [0.5, 3032],
  [0.75, 5781],
  [0.9, 10_931],
  [0.95, 15_000],
  [0.99, 27_525],
  [1, 94_876],
];

/** Skills of one owner's folder. */
export const SKILLS_PER_OWNER = 25;

/** What a header holds; counted into the printed mix. */
export type Trait =
  | "no frontmatter"
  | "flow map"
  | "block map"
  | "needs repair (unquoted colon)"
  | "quoted description"
  | "block scalar"
  | "block list"
  | "flow list"
  | "name differs from folder"
  | "CRLF"
  | "byte order mark"
  | "non-ASCII header"
  | "non-ASCII body"
  | "subfolders";

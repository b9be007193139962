import { NPM_PACKAGES, PYTHON_PACKAGES } from "./popular-packages.ts";

/** The well-known package that a name is a slip away from; undefined for that package itself and for all others. */
export function typosquatOf(manager: string, name: string): string | undefined {
  const registry = registryOf(manager);
  if (registry === undefined || name.length > MAX_NAME_CHARACTERS) return undefined;
  const wanted = registry.normalise(name.toLowerCase().replace(/(?<=.)@[^/]*$/, ""));
  if (wanted.length < MIN_NAME_CHARACTERS || registry.names.has(wanted)) return undefined;
  const lookalike = registry.bySkeleton.get(skeleton(wanted));
  if (lookalike !== undefined) return lookalike;
  for (const known of registry.names) if (isOneSlip(wanted, known)) return known;
  return undefined;
}

const MAX_NAME_CHARACTERS = 100;
const MIN_NAME_CHARACTERS = 5;
/** Below it honest names are a letter apart, and only swapped letters count. */
const MIN_EDITED_CHARACTERS = 6;

interface Registry {
  readonly names: ReadonlySet<string>;
  readonly bySkeleton: ReadonlyMap<string, string>;
  readonly normalise: (name: string) => string;
}

// PyPI takes `-`, `_` and `.` for the same, and npm for three packages.
const PYPI: Registry = createRegistry(PYTHON_PACKAGES, (name) => name.replaceAll(/[-_.]+/g, "-"));
const NPM: Registry = createRegistry(NPM_PACKAGES, (name) => name);

function createRegistry(names: ReadonlySet<string>, normalise: (name: string) => string): Registry {
  const normal = Array.from(names, normalise);
  return {
    names: new Set(normal),
    bySkeleton: new Map(normal.map((name) => [skeleton(name), name])),
    normalise,
  };
}

function registryOf(manager: string): Registry | undefined {
  if (/^(?:npm|npx|yarn|pnpm|pnpx|bun|bunx)$/.test(manager)) return NPM;
  if (/^(?:pip|pip3|pipx|uv|uvx|poetry|pdm|python|python3)$/.test(manager)) return PYPI;
  return undefined;
}

/** What the eye takes a name for: separators gone, digits that look like letters read as those. */
function skeleton(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/[-_.]/g, "")
    .replaceAll("0", "o")
    .replaceAll("1", "l")
    .replaceAll("rn", "m")
    .replaceAll(/[аɑ]/g, "a")
    .replaceAll(/[её]/g, "e")
    .replaceAll("о", "o")
    .replaceAll("р", "p")
    .replaceAll("с", "c");
}

/** One letter more, less, other, or two swapped; linear, unlike a table of distances. */
function isOneSlip(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1 || left === right) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd--;
    rightEnd--;
  }
  const between = [left.slice(start, leftEnd), right.slice(start, rightEnd)] as const;
  if (between[0].length <= 1 && between[1].length <= 1) {
    return right.length >= MIN_EDITED_CHARACTERS && !isVersionSuffix(between, left, right);
  }
  return between[0].length === 2 && between[0] === [...between[1]].reverse().join("");
}

// `urllib3` beside `urllib`, `types-` families: a digit at the end is a version, not a slip.
function isVersionSuffix(between: readonly [string, string], left: string, right: string): boolean {
  const isAtEnd = left.length !== right.length ? true : !/[a-z]$/.test(left) || !/[a-z]$/.test(right);
  return isAtEnd && /^\d?$/.test(between[0]) && /^\d?$/.test(between[1]);
}

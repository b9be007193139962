/** How a version stands to another one; undefined where their forms say nothing about it. */
export function compareVersions(left: string, right: string): "older" | "same" | "newer" | undefined {
  if (left === right) return "same";
  const [one, other] = [parseVersion(left), parseVersion(right)];
  if (one === undefined || other === undefined) return undefined;
  const order =
    compareParts(one.release, other.release, 0n) ||
    // What comes before a release is older than it.
    Number(one.early.length === 0) - Number(other.early.length === 0) ||
    compareParts(one.early, other.early, undefined);
  return order < 0 ? "older" : order > 0 ? "newer" : "same";
}

type Part = bigint | string;

interface Version {
  readonly release: readonly Part[];
  readonly early: readonly Part[];
}

const MAX_VERSION_CHARACTERS = 256;

// As semver has it, with any count of numbers: dates and `v2` are versions too.
function parseVersion(text: string): Version | undefined {
  if (text.length > MAX_VERSION_CHARACTERS) return undefined;
  const [, release, early] = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(text) ?? [];
  return release === undefined ? undefined : { release: partsOf(release), early: partsOf(early ?? "") };
}

function partsOf(text: string): readonly Part[] {
  if (text === "") return [];
  return text.split(".").map((part) => (/^\d+$/.test(part) ? BigInt(part) : part));
}

function compareParts(left: readonly Part[], right: readonly Part[], missing: Part | undefined): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const order = comparePart(left[index] ?? missing, right[index] ?? missing);
    if (order !== 0) return order;
  }
  return 0;
}

// Nothing comes before something, and numbers before words.
function comparePart(left: Part | undefined, right: Part | undefined): number {
  if (left === right) return 0;
  if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
  if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
  return left < right ? -1 : 1;
}

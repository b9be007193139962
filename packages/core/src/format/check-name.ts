import type { FaultList } from "./fault-list.ts";
import { MAX_NAME_CHARACTERS } from "./format-limits.ts";

/** The form in which names are compared: `ﬁle` and `file` are one name. */
export function normaliseName(name: string): string {
  return isPlainName(name) ? name : name.normalize("NFKC");
}

/** Checks a name against the specification; every fault is a warning in lenient mode. */
export function checkName(
  name: string,
  directoryName: string | undefined,
  faults: FaultList,
  key: string,
): void {
  if (!isPlainName(name)) checkUnicodeName(name, faults, key);
  if (directoryName === undefined || directoryName === name) return;
  if (normaliseName(directoryName) === normaliseName(name)) return;
  faults.addUnlessLenient(
    {
      code: "name-directory-mismatch",
      message: `The name is ${JSON.stringify(name)}, but the folder is called ${JSON.stringify(directoryName)}.`,
      hint: `Rename the folder to ${name}, or set name: ${directoryName}.`,
    },
    key,
  );
}

/** Whether a name is one that every client takes: nearly all are. */
export function isPlainName(name: string): boolean {
  if (name.length === 0 || name.length > MAX_NAME_CHARACTERS) return false;
  let previous = 0x2d;
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    const isLetterOrDigit = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
    if (!isLetterOrDigit && (code !== 0x2d || previous === 0x2d)) return false;
    previous = code;
  }
  return previous !== 0x2d;
}

// Marks are allowed because names in Hindi, Thai and many other scripts cannot be spelled without them.
const ALLOWED = /^[\p{L}\p{M}\p{N}-]*$/u;

function checkUnicodeName(written: string, faults: FaultList, key: string): void {
  const name = written.normalize("NFKC");
  const length = [...name].length;
  if (length > MAX_NAME_CHARACTERS) {
    faults.addUnlessLenient(
      {
        code: "name-too-long",
        message: `The name has ${length} characters; at most ${MAX_NAME_CHARACTERS} are allowed.`,
        hint: "Choose a shorter name.",
      },
      key,
    );
  }
  if (name !== name.toLowerCase()) {
    faults.addUnlessLenient(
      {
        code: "name-not-lowercase",
        message: "The name has upper-case letters.",
        hint: `Write ${name.toLowerCase()}.`,
      },
      key,
    );
  }
  if (name.startsWith("-") || name.endsWith("-") || name.includes("--")) {
    faults.addUnlessLenient(
      {
        code: "name-hyphens",
        message: "The name begins or ends with a hyphen, or has two in a row.",
        hint: "Put single hyphens between words only.",
      },
      key,
    );
  }
  if (!ALLOWED.test(name)) {
    faults.addUnlessLenient(
      {
        code: "name-characters",
        message: "The name has characters other than letters, digits and hyphens.",
        hint: "Write hyphens instead of spaces, underscores, dots and other signs.",
      },
      key,
    );
  } else if (/[^\0-\x7f]/.test(written)) {
    faults.addAtKey(
      {
        code: "name-not-ascii",
        severity: "warning",
        message: "The name has letters outside a-z, which some clients do not take.",
        hint: "Choose a name of a-z, 0-9 and hyphens to be understood everywhere.",
      },
      key,
    );
  }
}

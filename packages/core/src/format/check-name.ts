import type { FaultList } from "./fault-list.ts";
import { MAX_NAME_CHARACTERS } from "./format-limits.ts";

/** The form in which names are compared: `ﬁle` and `file` are the same name. */
export function normaliseName(name: string): string {
  return isPlainName(name) ? name : name.normalize("NFKC");
}

export function checkName(
  name: string,
  directoryName: string | undefined,
  faults: FaultList,
  key: string,
): void {
  const isPlain = isPlainName(name);
  if (isPlain && isSame(name, directoryName)) return;
  // Following one hint must not cause the next fault, so all hints propose the same name.
  const better = betterName(name, directoryName);
  const isRenamed = directoryName !== undefined && isSame(name, directoryName);
  const hint = better === "" ? "" : `Write ${better}${isRenamed ? ", and rename the folder to it" : ""}.`;
  if (!isPlain) checkUnicodeName(name, hint, faults, key);
  if (directoryName === undefined || isRenamed) return;
  const message = `The name is ${quote(name)}, but the folder is called ${quote(directoryName)}.`;
  const fault = { code: "name-directory-mismatch", message, hint: mismatchHint(better, directoryName) };
  faults.addUnlessLenient(fault, key);
}

function isSame(name: string, directoryName: string | undefined): boolean {
  if (directoryName === undefined || directoryName === name) return true;
  return normaliseName(directoryName) === normaliseName(name);
}

/** Whether every client accepts the name, as is the case for nearly all. */
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

/** The name if it is allowed, else the folder's, since the two have to agree, else a suggested one. */
export function betterName(name: string, directoryName: string | undefined): string {
  if (isAllowedName(name)) return name;
  return directoryName !== undefined && isAllowedName(directoryName) ? directoryName : suggestName(name);
}

function mismatchHint(better: string, directoryName: string): string {
  if (better === directoryName) return `Set name: ${directoryName}.`;
  if (better === "") return "Give the skill and its folder the same name.";
  const alternative = isAllowedName(directoryName) ? `, or set name: ${directoryName}` : "";
  return `Rename the folder to ${better}${alternative}.`;
}

function quote(name: string): string {
  return JSON.stringify(name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name);
}

function checkUnicodeName(written: string, hint: string, faults: FaultList, key: string): void {
  const name = written.normalize("NFKC");
  const length = [...name].length;
  const report = (code: string, message: string, advice: string): void =>
    faults.addUnlessLenient({ code, message, hint: hint || advice }, key);
  if (length > MAX_NAME_CHARACTERS) {
    const message = `The name has ${length} characters; at most ${MAX_NAME_CHARACTERS} are allowed.`;
    report("name-too-long", message, "Choose a shorter name.");
  }
  if (name !== name.toLowerCase())
    report("name-not-lowercase", "The name has upper-case letters.", "Write it in lower case.");
  if (name.startsWith("-") || name.endsWith("-") || name.includes("--")) {
    const message = "The name begins or ends with a hyphen, or has two in a row.";
    report("name-hyphens", message, "Put single hyphens between words only.");
  }
  // Marks are allowed because names in Hindi, Thai and many other scripts cannot be spelled without them.
  if (!/^[\p{L}\p{M}\p{N}-]*$/u.test(name)) {
    const message = "The name has characters other than letters, digits and hyphens.";
    report("name-characters", message, "Write letters, digits and single hyphens between them.");
  } else if (/[^\0-\x7f]/.test(written)) {
    const message = "The name has letters outside a-z, which some clients do not take.";
    const ascii = "Choose a name of a-z, 0-9 and hyphens to be understood everywhere.";
    faults.addAtKey({ code: "name-not-ascii", severity: "warning", message, hint: ascii }, key, "value");
  }
}

// Only the start of a longer text can become part of the name.
const MAX_READ_CHARACTERS = 1024;

/** A name that the specification allows, made from the words of a text; empty if there are none. */
export function suggestName(text: string): string {
  const words = text
    .slice(0, MAX_READ_CHARACTERS)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return [...(words ?? []).join("-")].slice(0, MAX_NAME_CHARACTERS).join("").replace(/-$/, "");
}

export function isAllowedName(name: string): boolean {
  return isPlainName(name) || (name !== "" && name === suggestName(name));
}

const MAX_REF_CHARACTERS = 255;

/**
 * What is wrong with the name of a branch or tag, as the end of a sentence: git's own rules (`git check-ref-format`), and
 * nothing that a command line could read as an option.
 */
export function checkRef(ref: string): string | undefined {
  if (ref === "") return "is empty";
  if (ref.length > MAX_REF_CHARACTERS) return `is longer than ${MAX_REF_CHARACTERS} characters`;
  if (ref.startsWith("-")) return "begins with -, which git would read as an option";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git's rule names them.
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(ref)) return "has a space, a control character or one of ~ ^ : ? * [ \\";
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(ref)) return "has a character that nobody sees";
  if (ref.includes("..") || ref.includes("@{") || ref === "@") return "has .. or @{, or is a single @";
  if (ref.startsWith("/") || ref.endsWith("/") || ref.includes("//")) return "has an empty part";
  if (ref.endsWith(".")) return "ends with a dot";
  if (ref.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock")))
    return "has a part that begins with a dot or ends with .lock";
  return undefined;
}

/** Whether a ref is the full id of a commit, of SHA-1 or SHA-256. */
export function isCommitId(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
}

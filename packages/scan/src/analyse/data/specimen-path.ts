/** Whether a value is about texts instead of one to be followed: what a detector looks for, what a test expects. */
export function isSpecimenPath(path: readonly string[]): boolean {
  return path.some((key) => SPECIMEN_KEY.test(key));
}

/** Whether a value is something that must not be done: an entry of a list of what is denied. */
export function isForbiddenPath(path: readonly string[]): boolean {
  return path.some((key) => FORBIDDEN_KEY.test(key));
}

const SPECIMEN_KEY =
  /^(?:patterns?|regex|regexes|regexp|signatures?|indicators?|iocs?|payloads?|attacks?|attack_?examples?|malicious|detect|detections?|match|matches|keywords|blocklist|denylist|deny|forbidden|negative|positives?|negatives?|test_?cases?|evals?|fixtures?|expected|expected_?output|assertions?|expectations)$/;
const FORBIDDEN_KEY =
  /^(?:deny|denied|denylist|blocklist|blacklist|block|blocked|forbidden|disallow|disallowed|never|dangerous|dangerous_commands|ask)$/;

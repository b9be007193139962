/** Whether inline code may be a command to type, rather than a name, a path or an expression; cheap and generous. */
export function looksLikeCommand(code: string): boolean {
  if (code.length < 4) return false;
  if (/:\/\/|\||\$\(|<\(/.test(code)) return /\s/.test(code);
  return COMMAND.test(code);
}

const COMMAND =
  /^\s{0,4}(?:[$%>#]\s{1,2})?(?:sudo\s{1,4})?(?:[A-Z_]{1,40}=\S{0,80}\s{1,4})?(?:[./~][\w./~-]{1,80}|[a-z][a-z0-9_.-]{1,30})\s{1,4}[-\w./~$"'@{<:]/;

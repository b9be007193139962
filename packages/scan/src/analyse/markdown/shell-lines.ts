/**
 * The commands in a block that calls itself something else, every other line blanked; undefined where they do nothing that is
 * unmistakably a shell's: a download into an interpreter, an upload of a file, a shell on a socket.
 *
 * People who follow a document type what a block says, whatever its label is.
 */
export function shellLines(text: string): string | undefined {
  if (!HINT.test(text)) return undefined;
  let isAny = false;
  const lines = text.split("\n").map((line) => {
    const command = COMMAND.exec(line)?.[1];
    if (command === undefined) return "";
    isAny = true;
    return line.slice(command.length);
  });
  if (!isAny) return undefined;
  const commands = lines.join("\n");
  return DEED.test(commands) || (SAVES.test(commands) && STARTS.test(commands)) ? commands : undefined;
}

const HINT = /\b(?:curl|wget|base64|nc|ncat|scp)\s|\/dev\/(?:tcp|udp)\//;
// Deeper lines belong to a structure of another language, which has its own reader. The group is a prompt or the sign of a patch.
const COMMAND =
  /^(\s{0,3}(?:[+$%]\s{0,2})?)(?:sudo\s{1,4})?(?:[A-Z_]{1,40}=\S{0,80}\s{1,4})?(?:\/\S{1,20}\/)?(?:curl|wget|(?:ba|z|k|da)?sh|python3?|perl|ruby|node|nc|ncat|echo|printf|base64|eval|source|exec|chmod|tar|cat|scp|cd|mkdir|nohup|openssl|socat|\.|\.{1,2}\/\S{1,200})(?:\s|$)/;
const INTERPRETER = String.raw`(?:sudo\s{1,4})?(?:\/\S{1,20}\/)?(?:(?:ba|z|k|da)?sh|python3?|perl|ruby|node)(?![\w.-])`;
const DEED = new RegExp(
  [
    String.raw`\b(?:curl|wget|base64)\s[^\n|]{0,300}\|\s{0,4}(?:base64\s[^\n|]{0,40}\|\s{0,4})?${INTERPRETER}`,
    String.raw`\/dev\/(?:tcp|udp)\/`,
    String.raw`\b(?:sh|bash|zsh|eval|source)\s{1,4}(?:-c\s{1,4})?["']?(?:<\(|\$\()\s{0,4}(?:curl|wget)\s`,
    String.raw`\bcurl(?=\s)[^\n]{0,300}(?:[=\s"']@|\s-T\s|--upload-file|\$\((?:cat|env|printenv|base64)\b)`,
    String.raw`\bwget\s[^\n]{0,300}--post-file`,
    String.raw`\|\s{0,4}curl\s`,
    String.raw`\bn(?:c|cat)\s[^\n]{0,80}\s-[a-z]{0,4}[ec]\s`,
    String.raw`\bscp\s[^\n]{0,300}:`,
  ].join("|"),
);
const SAVES = /\b(?:curl|wget)(?=\s)[^\n]{0,300}(?:\s-[a-zA-Z]{0,8}[oO]|--output|>)/;
const STARTS = new RegExp(
  String.raw`(?:^|[;&]\s{0,4})(?:${INTERPRETER}\s|chmod\s|\.{1,2}\/|source\s|\.\s)`,
  "m",
);

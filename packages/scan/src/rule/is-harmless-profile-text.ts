/** Whether all that a text adds to a shell's start file is a variable, an alias, a completion or a tool's own hook. */
export function isHarmlessProfileText(text: string): boolean {
  if (text.length >= MAX_CHARACTERS) return false;
  return text
    .split("\n")
    .every(
      (line) =>
        line.trim() === "" ||
        line.trim() === "*" ||
        (HARMLESS.test(line) && !TELLING.test(line) && !shadows(line)),
    );
}

/** Whether an alias puts something else in the place of a program that people trust with keys or with their word. */
function shadows(line: string): boolean {
  const alias = /^\s*alias\s+([\w.-]{1,60})=["']?([^\n]{0,1000})$/.exec(line);
  if (alias?.[1] === undefined || alias[2] === undefined || !TRUSTED.test(alias[1])) return false;
  return /[;|&`]|\$\(|^(?:~|\/|\$HOME|\.)|^(?:ba|z|da)?sh\s|--dangerously|--yolo|skip-permissions/.test(
    alias[2],
  );
}

const TRUSTED =
  /^(?:npm|npx|pnpm|yarn|bun|node|pip3?|python3?|uv|cargo|curl|wget|claude|codex|gemini|cursor|opencode|aws|gcloud|kubectl|terraform|op|pass)$/;

// A longer text was cut, and what is behind the cut is not known.
const MAX_CHARACTERS = 64 * 1024;

const HARMLESS =
  /^\s*(?:#|(?:export\s+)?[A-Za-z_]\w*=|set\s+-g?x|fish_add_path|path\+=|alias\s+[\w.-]+=|eval\s+"?\$\([\w./~"$-]+\s+(?:init|hook|env|shellenv|completions?|activate|prefix)\b|source\s+<\([\w-]+\s+completion|(?:source|\.)\s+["'~$./\w{}-]+$|\[+\s.{0,120}\]+\s*&&\s*(?:source|\.|\\\.)\s|autoload|compinit|setopt|if\s|fi\b|else\b|then\b|complete\s|bindkey|plugins=|zstyle|unset\s)/;

// Names that hand others what a person types, loads or sends, or shadow a program that asks for a password.
const TELLING =
  /\b(?:PROMPT_COMMAND|LD_PRELOAD|DYLD_INSERT_LIBRARIES|BASH_ENV|\w*_BASE_URL|https?_proxy|HTTPS?_PROXY|ALL_PROXY|NODE_OPTIONS|PYTHONSTARTUP)=|alias\s+(?:sudo|su|ssh|git|docker|gpg|passwd|scp)=|\b(?:curl|wget|nc|base64|eval\s+"?\$\((?:curl|wget))\b|(?:source|\.)\s+\S{0,200}(?:\/tmp\/|\.cache\/|\/\.[^/\s]{1,60}\/\.[^/\s]{1,60}["']?$)/;

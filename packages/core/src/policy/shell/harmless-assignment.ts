/**
 * Variables decide which program runs (`PATH`), what is loaded into it (`LD_PRELOAD`, `NODE_OPTIONS`), what
 * it runs (`GIT_PAGER`, `EDITOR`) and whom it talks to (`https_proxy`). A variable is therefore harmful
 * unless it is known to be harmless.
 */
export function isHarmlessAssignment(name: string, value: string): boolean {
  // A locale or time zone with a leading slash is a file that gets loaded.
  if (name === "TZ") return /^[A-Za-z]+(?:\/[A-Za-z_]+){0,2}$/.test(value);
  return HARMLESS.test(name) && /^[A-Za-z0-9_.@-]*$/.test(value);
}

/** Whether a loop may use this variable: it has no meaning for a shell or a program. */
export function isHarmlessLoopVariable(name: string): boolean {
  return /^[a-z][a-z0-9]{0,15}$/.test(name) && !ZSH_VARIABLES.has(name);
}

const HARMLESS = /^(?:LANG|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|CI)$/;

// In zsh, which some hosts use, `for path in …` sets PATH.
const ZSH_VARIABLES: ReadonlySet<string> = new Set(
  (
    "aliases argv builtins cdpath commands fignore fpath functions histchars keymap mailpath manpath " +
    "options parameters path pipestatus prompt psvar reply signals status watch"
  ).split(" "),
);

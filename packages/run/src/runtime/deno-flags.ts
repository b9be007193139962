// Permissions are passed on as they are, all of them too: what the sandbox does not give, deno cannot give either, to
// native code and child processes (--allow-ffi, --allow-run) as little as to the script.
const PERMISSION = /^--(?:allow|deny)-(?:read|write|net|env|sys|run|ffi|import)(?:=[^\s]*)?$/;
const SHORT_PERMISSION = /^-[ARWNES](?:=[^\s]*)?$/;
const HARMLESS =
  /^(?:-q|--(?:allow-all|quiet|no-prompt|no-check|check|cached-only|no-remote|no-npm|no-lock|no-config|no-code-cache))$/;
const EXTENSION = /^--ext=(?:ts|tsx|js|jsx|mts|mjs|cts|cjs)$/;

/**
 * Why deno may not be given this flag; nothing when it may.
 *
 * Not let through are those that name further files (--config, --import-map, --lock, --env-file, --preload), listen
 * (--inspect), fetch again (--reload), run install scripts (--allow-scripts) or change the engine (--v8-flags, --unstable-*).
 */
export function denoFlagFault(word: string): string | undefined {
  if ([PERMISSION, SHORT_PERMISSION, HARMLESS, EXTENSION].some((pattern) => pattern.test(word)))
    return undefined;
  if (/^(?:npm|jsr|https?):/.test(word))
    return `its first line has deno run ${JSON.stringify(word.slice(0, 80))} instead`;
  return `its first line gives deno ${JSON.stringify(word.slice(0, 80))}, which is not among the allowed flags`;
}

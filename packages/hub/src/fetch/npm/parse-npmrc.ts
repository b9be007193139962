/** Reads an npmrc: the last value of a key counts, `${NAME}` stands for a variable, and a value without it is dropped. */
export function parseNpmrc(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const equals = line.indexOf("=");
    if (/^\s*[;#[]/.test(line) || equals < 0) continue;
    const key = line.slice(0, equals).trim();
    const value = expand(unquote(line.slice(equals + 1).trim()), environment);
    if (value !== undefined && value !== "") settings.set(key, value);
  }
  return settings;
}

function unquote(value: string): string {
  return /^(["']).*\1$/.exec(value) !== null && value.length > 1 ? value.slice(1, -1) : value;
}

function expand(
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  let isComplete = true;
  const expanded = value.replace(/\$\{([^{}]{1,200})\}/g, (_, name: string) => {
    const found = Object.hasOwn(environment, name) ? environment[name] : undefined;
    isComplete &&= found !== undefined;
    return found ?? "";
  });
  return isComplete ? expanded : undefined;
}

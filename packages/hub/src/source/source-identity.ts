/**
 * The repository that trust can be given to, as `owner/repository` in lower case; undefined for everything that does not
 * certainly come from github.com.
 *
 * GitHub does not tell names apart by case, so neither may whoever compares; lists of trusted sources are to be folded
 * alike.
 */
export function sourceIdentity(url: string): string | undefined {
  const [, owner, repository] = FORMS.map((form) => form.exec(url)).find((match) => match !== null) ?? [];
  if (owner === undefined || repository === undefined || isOdd(owner) || isOdd(repository)) return undefined;
  return `${owner}/${repository}`.toLowerCase();
}

// Written out instead of parsed: a host that only a lenient parser takes for github.com is a stranger's.
const PATH = String.raw`([A-Za-z0-9._-]{1,100})\/([A-Za-z0-9._-]{1,100}?)(?:\.git)?$`;
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`^https:\/\/github\.com\/${PATH}`),
  new RegExp(String.raw`^ssh:\/\/git@github\.com(?::22)?\/${PATH}`),
  new RegExp(String.raw`^git@github\.com:${PATH}`),
];

// Prefixes that origins are read without: `skills-sh/openai/skills` would become somebody else.
const PREFIXES: ReadonlySet<string> = new Set(["skills-sh", "skills.sh", "skils-sh", "skils.sh"]);

function isOdd(name: string): boolean {
  return /^\.{1,2}$/.test(name) || PREFIXES.has(name.toLowerCase());
}

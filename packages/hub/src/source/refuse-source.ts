import { SkilletError } from "@skillet/kit/errors";

const MAX_SHOWN_CHARACTERS = 200;

/** Throws that a source cannot be understood; never called with a text that may hold credentials. */
export function refuseSource(text: string, problem: string, hint: string): never {
  throw new SkilletError("source-invalid", `The source ${showText(text)} ${problem}. ${hint}`, {
    data: { source: text.slice(0, MAX_SHOWN_CHARACTERS) },
  });
}

/** Throws that a source is of a kind that nobody here speaks. */
export function refuseKind(text: string, problem: string, hint: string): never {
  throw new SkilletError("source-unsupported", `The source ${showText(text)} ${problem}. ${hint}`, {
    data: { source: text.slice(0, MAX_SHOWN_CHARACTERS) },
  });
}

/** Throws that a source holds credentials, which it then does not repeat. */
export function refuseCredentials(host: string): never {
  throw new SkilletError(
    "source-credentials",
    `The source at ${showText(host)} has a user name, password or token in it, which would end up in histories and locks. ` +
      "Leave it out; use a git credential helper, an ssh key, or a variable such as GITHUB_TOKEN or GITLAB_TOKEN.",
    { data: { host } },
  );
}

/** As JSON, because what a person pasted may hold anything. */
function showText(text: string): string {
  return JSON.stringify(
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
  );
}

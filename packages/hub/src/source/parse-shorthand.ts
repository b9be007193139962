import { refuseSource } from "./refuse-source.ts";
import type { GitSource } from "./source.ts";
import { decodeText, isPick, parseTail, type SourceTail } from "./source-tail.ts";
import { suggestForm } from "./suggest-form.ts";

/** Reads `owner/repository[/folder][#ref][@pick]`. */
export function parseShorthand(
  shorthand: string,
  { text, host }: { readonly text: string; readonly host: string },
): GitSource {
  const hash = shorthand.indexOf("#");
  const tail: SourceTail = hash === -1 ? {} : parseTail(text, shorthand.slice(hash + 1));
  const place = splitPlace(hash === -1 ? shorthand : shorthand.slice(0, hash), text);
  if (place.pick !== undefined && tail.pick !== undefined)
    refuseSource(text, "picks two skills", "Write one of them, and install the other one by itself.");
  const [owner = "", repository = "", ...folders] = place.path.split("/");
  if (!isOwner(owner, host) || !isName(repository)) refuseSource(text, "is no source", suggestForm(text));
  const folder = folders.length === 0 ? undefined : checkFolder(text, decodeText(text, folders.join("/")));
  return {
    kind: "git",
    url: `https://${host}/${owner}/${repository.replace(/\.git$/, "")}`,
    ...(tail.ref !== undefined && { ref: tail.ref }),
    ...(folder !== undefined && { folder }),
    ...(place.pick !== undefined && { pick: place.pick }),
    ...(tail.pick !== undefined && { pick: tail.pick }),
  };
}

/** The folder within a repository, without slashes at its ends; undefined for its root. */
export function checkFolder(text: string, folder: string): string | undefined {
  const trimmed = folder.replace(/^\/+|\/+$/g, "");
  if (trimmed === "") return undefined;
  const isPlain = trimmed.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\]/u.test(trimmed)) {
    refuseSource(
      text,
      `names the folder ${JSON.stringify(trimmed.slice(0, 80))}, which is none inside a repository`,
      "Write it from the repository's root, with single slashes and without . and ..",
    );
  }
  return trimmed;
}

/** Whether a text can be the name of an owner or a repository. */
export function isName(text: string): boolean {
  return (
    /^[A-Za-z0-9._-]{1,100}$/.test(text) &&
    !/^\.{1,2}$/.test(text) &&
    !/^\.git$/i.test(text) &&
    !text.startsWith("-")
  );
}

/** Whether a text can be the name of an owner there; GitHub has none with a dot, so `github.com/x` is no repository. */
export function isOwner(text: string, host: string): boolean {
  return isName(text) && !(host === "github.com" && text.includes("."));
}

function splitPlace(place: string, text: string): { readonly path: string; readonly pick?: string } {
  const at = place.indexOf("@");
  if (at === -1) return { path: place };
  const pick = place.slice(at + 1);
  if (!isPick(pick)) {
    refuseSource(
      text,
      `names ${JSON.stringify(pick.slice(0, 80))} behind @, which is no name of a skill`,
      "Write OWNER/REPOSITORY@SKILL; an @ that is part of a folder is written %40.",
    );
  }
  return { path: place.slice(0, at), pick };
}

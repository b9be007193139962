/** Which place of many things a path is: a whole home, the root, or a folder that the system lives in. */
export function wideTarget(path: string): "home" | "root" | undefined {
  const plain = path.replaceAll("\\", "/").replace(/\/{2,}/g, "/");
  if (HOME.test(plain)) return "home";
  return ROOT.test(plain) ? "root" : undefined;
}

export function isWideTarget(path: string): boolean {
  return wideTarget(path) !== undefined;
}

const HOME =
  /^(?:~|\/root|\/home(?:\/[\w.*-]{1,40})?|\/Users(?:\/[\w.*-]{1,40})?|[A-Za-z]:\/Users(?:\/[\w.*-]{1,40})?)(?:\/(?:\*|\.\*|\.\[!\.\]\*|\{\*,\.\*\}|Documents|Desktop|Pictures|Library)?)?(?:\/\*)?$/;
const ROOT =
  /^(?:\/|\/\*|\/\.|\/(?:etc|usr|var|bin|sbin|lib|boot|opt|System|Library|Applications|home|Users)(?:\/\*?)?|[A-Za-z]:\/?\*?|[A-Za-z]:\/Windows(?:\/\S{0,40})?)$/;

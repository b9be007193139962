/** What stands between bubblewrap's own arguments and the program that is to run as somebody without rights. */
export function giveUpRights(
  setpriv: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): string[] {
  return [
    ...["--cap-drop", "ALL"],
    ...["SETUID", "SETGID", "SETPCAP"].flatMap((name) => ["--cap-add", `CAP_${name}`]),
    ...["--", setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--"],
  ];
}

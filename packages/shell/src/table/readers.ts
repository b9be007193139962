import { type Column, type Reads, words } from "./program-row.ts";

const SEARCH: Reads = {
  searches: true,
  patternUnless: words("-e --regexp -f --file --files"),
  valued: words(
    "-e --regexp -f --file -A -B -C -m --max-count -d -D --include --exclude --exclude-dir --color --colour --label -g --glob -t --type -T -j -M -r --replace --sort -E",
  ),
};
const CMDLET: Reads = {
  style: "words",
  valued: words(
    "-path -literalpath -totalcount -head -tail -encoding -delimiter -readcount -filter -include -exclude",
  ),
  files: words("-path -literalpath"),
};

/** Programs that read files; those that count, list, compare, copy or edit them are not readers. */
export const READERS: Column<Reads> = {
  "cat tac most uniq mdcat": {},
  nl: { valued: words("-b -s -w -v -i -n") },
  bat: {
    valued: words("-l --language -r --line-range -H --highlight-line --style --theme --paging --color -m"),
  },
  batcat: { valued: words("-l --language -r --line-range -H --highlight-line --style --theme --paging") },
  less: { valued: words("-p -x -z -j -o -O"), otherOperands: /^\+/ },
  more: { valued: words("-n"), otherOperands: /^\+/ },
  head: { valued: words("-n -c --lines --bytes"), otherOperands: /^\+/ },
  tail: { valued: words("-n -c --lines --bytes --pid -s"), otherOperands: /^\+/ },
  cut: { valued: words("-d -f -c -b --delimiter --fields") },
  sort: { valued: words("-k -t -o -S -T") },
  column: { valued: words("-s -o -c") },
  fold: { valued: words("-w") },
  strings: { valued: words("-n -t -e") },
  xxd: { valued: words("-l -s -c -g") },
  od: { valued: words("-A -t -N -j") },
  hexdump: { valued: words("-n -s -e") },
  glow: { valued: words("-s -w --style --width") },
  jq: {
    patternUnless: words("-f --from-file"),
    valued: words("-f --from-file --indent -L"),
    twiceValued: words("--arg --argjson --slurpfile --rawfile"),
    loads: words("-f --from-file"),
    files: words("--slurpfile --rawfile"),
  },
  yq: { patternUnless: words("-f --from-file"), valued: words("-f --from-file -o -p -I") },
  sed: {
    patternUnless: words("-e --expression -f --file"),
    valued: words("-e --expression -f --file -l"),
    loads: words("-f --file"),
  },
  awk: {
    patternUnless: words("-f --file -e --source"),
    valued: words("-f --file -F -v -e --source --field-separator --assign -i"),
    loads: words("-f --file"),
    otherOperands: /^\w+=/,
  },
  // Here `-r` goes into folders and takes no value.
  "grep egrep fgrep zgrep": {
    ...SEARCH,
    valued: words(
      "-e --regexp -f --file -A -B -C -m --max-count -d -D --include --exclude --exclude-dir --label",
    ),
  },
  "rg ag ack": SEARCH,
  "get-content gc type": CMDLET,
  "select-string sls": {
    ...CMDLET,
    patternUnless: words("-pattern"),
    valued: words("-path -literalpath -pattern -context -encoding"),
  },
};

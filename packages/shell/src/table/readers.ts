import { type Column, type Reads, words } from "./program-row.ts";

const PLAIN: Reads = {};
const SEARCH: Reads = {
  searches: true,
  patternUnless: words("-e --regexp -f --file --files"),
  valued: words(
    "-e --regexp -f --file -A -B -C -m --max-count -d -D --include --exclude --exclude-dir --color --colour --label -g --glob -t --type -T -j -M -r --replace --sort -E",
  ),
};
const RIPGREP: Reads = { ...SEARCH, patternUnless: words("-e --regexp -f --file --files") };
// Here `-r` goes into folders and takes no value.
const GREP: Reads = {
  ...SEARCH,
  valued: words(
    "-e --regexp -f --file -A -B -C -m --max-count -d -D --include --exclude --exclude-dir --label",
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
  cat: PLAIN,
  tac: PLAIN,
  nl: { valued: words("-b -s -w -v -i -n") },
  bat: {
    valued: words("-l --language -r --line-range -H --highlight-line --style --theme --paging --color -m"),
  },
  batcat: { valued: words("-l --language -r --line-range -H --highlight-line --style --theme --paging") },
  less: { valued: words("-p -x -z -j -o -O") },
  more: { valued: words("-n") },
  most: PLAIN,
  head: { valued: words("-n -c --lines --bytes") },
  tail: { valued: words("-n -c --lines --bytes --pid -s") },
  cut: { valued: words("-d -f -c -b --delimiter --fields") },
  sort: { valued: words("-k -t -o -S -T") },
  uniq: PLAIN,
  column: { valued: words("-s -o -c") },
  fold: { valued: words("-w") },
  strings: { valued: words("-n -t -e") },
  xxd: { valued: words("-l -s -c -g") },
  od: { valued: words("-A -t -N -j") },
  hexdump: { valued: words("-n -s -e") },
  glow: { valued: words("-s -w --style --width") },
  mdcat: PLAIN,
  jq: {
    patternUnless: words("-f --from-file"),
    valued: words("-f --from-file --indent -L"),
    twiceValued: words("--arg --argjson --slurpfile --rawfile"),
    loads: words("-f --from-file"),
    files: words("--slurpfile --rawfile"),
  },
  yq: {
    patternUnless: words("-f --from-file --from-file"),
    valued: words("-f --from-file -o -p -I"),
    changes: words("-i --inplace"),
  },
  sed: {
    patternUnless: words("-e --expression -f --file"),
    valued: words("-e --expression -f --file -l"),
    changes: words("-i --in-place"),
    loads: words("-f --file"),
  },
  awk: {
    patternUnless: words("-f --file -e --source"),
    valued: words("-f --file -F -v -e --source --field-separator --assign -i"),
    changes: words("-i"),
    loads: words("-f --file"),
  },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  zgrep: GREP,
  rg: RIPGREP,
  ag: SEARCH,
  ack: SEARCH,
  "get-content": CMDLET,
  gc: CMDLET,
  type: CMDLET,
  "select-string": {
    ...CMDLET,
    patternUnless: words("-pattern"),
    valued: words("-path -literalpath -pattern -context -encoding"),
  },
  sls: {
    ...CMDLET,
    patternUnless: words("-pattern"),
    valued: words("-path -literalpath -pattern -context -encoding"),
  },
};

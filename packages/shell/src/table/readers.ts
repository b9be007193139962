import type { Column, Reads, Written } from "./program-row.ts";

const SEARCH: Written<Reads> = {
  searches: true,
  patternUnless: "-e --regexp -f --file --files",
  valued:
    "-e --regexp -f --file -A -B -C -m --max-count -d -D --include --exclude --exclude-dir --color --colour --label -g --glob -t --type -T -j -M -r --replace --sort -E",
};
const CMDLET: Written<Reads> = {
  style: "words",
  valued:
    "-path -literalpath -totalcount -head -tail -encoding -delimiter -readcount -filter -include -exclude",
  files: "-path -literalpath",
};

/** Programs that read files; those that count, list, copy or edit files are not readers. */
export const READERS: Column<Written<Reads>> = {
  "cat tac most uniq mdcat diff sdiff paste comm rev pr expand base64 base32 dd gzip bzip2 xz zstd zcat gzcat bzcat xzcat":
    {},
  "git tar bsdtar gtar": { searches: true },
  cmp: { valued: "-i -n --ignore-initial --bytes" },
  fmt: { valued: "-w -g -p --width --goal --prefix" },
  join: { valued: "-a -e -i -j -o -t -v -1 -2" },
  nl: { valued: "-b -s -w -v -i -n" },
  "bat batcat": {
    valued: "-l --language -r --line-range -H --highlight-line --style --theme --paging --color -m",
  },
  less: { valued: "-p -x -z -j -o -O", otherOperands: /^\+/ },
  more: { valued: "-n", otherOperands: /^\+/ },
  "head tail": { valued: "-n -c --lines --bytes --pid -s", otherOperands: /^\+/ },
  cut: { valued: "-d -f -c -b --delimiter --fields" },
  sort: { valued: "-k -t -o -S -T" },
  column: { valued: "-s -o -c" },
  fold: { valued: "-w" },
  "strings od hexdump": { valued: "-n -t -e -A -N -j -s" },
  xxd: { valued: "-l -s -c -g" },
  glow: { valued: "-s -w --style --width" },
  jq: {
    patternUnless: "-f --from-file",
    valued: "-f --from-file --indent -L",
    twiceValued: "--arg --argjson --slurpfile --rawfile",
    loads: "-f --from-file",
    files: "--slurpfile --rawfile",
  },
  yq: { patternUnless: "-f --from-file", valued: "-f --from-file -o -p -I" },
  sed: {
    patternUnless: "-e --expression -f --file",
    valued: "-e --expression -f --file -l",
    loads: "-f --file",
  },
  awk: {
    patternUnless: "-f --file -e --source",
    valued: "-f --file -F -v -e --source --field-separator --assign -i",
    loads: "-f --file",
    otherOperands: /^\w+=/,
  },
  // Here `-r` searches folders and takes no value.
  "grep egrep fgrep zgrep": {
    ...SEARCH,
    valued: "-e --regexp -f --file -A -B -C -m --max-count -d -D --include --exclude --exclude-dir --label",
  },
  "rg ag ack": SEARCH,
  "get-content gc type": CMDLET,
  "select-string sls": {
    ...CMDLET,
    patternUnless: "-pattern",
    valued: "-path -literalpath -pattern -context -encoding",
  },
};

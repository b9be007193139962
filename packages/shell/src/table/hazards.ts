import { subcommands } from "./build-hazards.ts";
import type { Column, Hazards, Written } from "./program-row.ts";

export const FILE_HAZARDS: Column<Written<Hazards>> = {
  // In an awk program: a pipe, a file, a command, or a function that runs one.
  "awk mawk nawk": {
    long: "file include load exec source dump-variables debug pretty-print profile",
    short: "filEeoDdpW",
    pattern: /system|getline|[|>@]|close|fflush/,
  },
  sed: {
    operands: {
      flags: /^(?:-[nErsuz]+|--quiet|--regexp-extended|--)$/,
      // Only scripts of one plain command: `e` runs and `w` writes, even in flags, addresses and groups.
      first:
        /^(?:(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?[pdq=]|\/[\w .-]+\/[pd]|s([/|#,:])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*)$/,
    },
  },
  find: { words: "-delete -fprint -fprint0 -fprintf -fls -files0-from" },
  "fd fdfind": { long: "exec exec-batch", short: "xX" },
  rg: { long: "pre pre-glob hostname-bin" },
  ack: { long: "pager ackrc output" },
  ag: { long: "pager" },
  bat: { long: "pager" },
  sort: { long: "output use-compress-program compress-program files0-from temporary-directory", short: "oT" },
  shuf: { long: "output", short: "o" },
  tree: { short: "oR" },
  split: { long: "filter" },
  // The second operand is written to.
  uniq: { operands: { flags: /^-(?:[cdDiuz]+|[fsw]\d+)$/, most: 1 } },
  tar: {
    long: "to-command checkpoint-action use-compress-program compress-program rsh-command rmt-command info-script new-volume-script absolute-names index-file",
    short: "IFP",
    // `host:file` starts a remote shell, and options may come without a dash.
    pattern: /^[^/-]+:|^[A-Za-z]*[IFP][A-Za-z]*$/,
  },
  bsdtar: { long: "use-compress-program compress-program", short: "P" },
  cpio: { long: "rsh-command file", short: "IOFE" },
  zip: { long: "unzip-command test", short: "TO" },
  rsync: { long: "rsh rsync-path daemon remote-option log-file write-batch files-from config", short: "eM" },
  patch: { long: "output reject-file get", short: "org" },
  man: { long: "pager html preprocessor config-file browser troff-device", short: "PHpC" },
  xmllint: { words: "-shell -output -o" },
  yq: { long: "inplace in-place split-exp", short: "is" },
  pandoc: {
    long: "filter lua-filter pdf-engine pdf-engine-opt output extract-media log defaults data-dir template to from write read",
    short: "FLodtwfr",
  },
};

export const NETWORK_HAZARDS: Column<Written<Hazards>> = {
  ssh: { short: "oFEISDLRwWMOJ" },
  scp: { short: "oFSDJ" },
  curl: {
    long: "config output output-dir remote-name remote-name-all remote-header-name upload-file dump-header cookie-jar trace trace-ascii stderr libcurl engine etag-save hsts alt-svc netrc-file write-out unix-socket cert key proxy preproxy data-urlencode variable",
    short: "KoOJTDcEwx",
    // `@file` and `<file` send a file, `file:` reads one.
    pattern: /^(?:-[a-zA-Z]+)?[@<]|=[@<]|^file:/i,
    safePrefix: /^(?:https:\/\/|[A-Z])/,
  },
  wget: {
    long: "execute use-askpass config output-file append-output directory-prefix input-file post-file body-file save-cookies rejected-log warc-file output-document",
    short: "eoaPiO",
  },
  nc: { short: "ec" },
  ncat: { long: "exec sh-exec lua-exec output", short: "eco" },
  socat: { never: "starts programs from its addresses" },
  openssl: { words: "-out -engine -provider -provider-path -config -writerand -passin" },
  gpg: { long: "output exec-path photo-viewer homedir options load-extension", short: "o" },
  tcpdump: { short: "zw" },
  nmap: { long: "script datadir resume", pattern: /^-o[NXGAS]|^-iL/ },
  aria2c: { long: "conf-path input-file", pattern: /^--on-/ },
  "yt-dlp": { long: "config-locations downloader external-downloader plugin-dirs batch-file" },
  "ssh-keygen": { short: "D" },
  aws: { long: "cli-input-json endpoint-url ca-bundle", words: "configure" },
  docker: { long: "config host context", short: "H", words: "plugin context buildx" },
  kubectl: {
    long: "kubeconfig editor server",
    subcommands: {
      globals: /^$/,
      known: subcommands(
        "annotate api-resources api-versions apply auth autoscale cluster-info cordon create delete describe diff drain " +
          "explain expose get label logs patch replace rollout scale set taint top uncordon version wait",
      ),
    },
  },
};

/** Builtins and programs whose whole purpose is to change or to run something. */
export const NEVER_COVERED: Column<Written<Hazards>> = {
  ". alias bind compgen complete coproc declare enable eval export fc getopts hash history jobs let local mapfile popd pushd read readarray readonly set shopt source trap typeset unalias unset wait":
    { never: "changes what later commands mean" },
  "crontab dc ed emacs ex ftp gnuplot less m4 mail mailx mariadb more most mysql nano nvim pico psql rvim screen sftp sqlite3 telnet tmux vi view vim visudo":
    { never: "runs commands that are typed into it" },
  printf: { short: "v" },
  "test [": { words: "-v -R" },
};

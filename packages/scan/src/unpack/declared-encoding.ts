/** The encoding that a Python file declares, if Python would then run other code than the one a reader of UTF-8 sees. */
export function hidingEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, MAX_HEAD_BYTES))
    .toString("latin1")
    .split(/\r\n?|\n/, 2);
  for (const line of head) {
    const name = /^[ \t\f]*#.{0,200}?coding[:=][ \t]{0,20}([-\w.]{1,40})/.exec(line)?.[1];
    if (name !== undefined) return PLAIN.test(name) ? undefined : name;
  }
  return undefined;
}

const MAX_HEAD_BYTES = 1_024;
/** ASCII is itself in these: letters outside of it differ, code does not. */
const PLAIN =
  /^(?:utf[-_]?8(?:[-_]?sig)?|u8|(?:us[-_]?)?ascii|latin[-_]?[19]?|l1|iso[-_]?(?:8859|ir)[-_]?\d*[-_]?\d*|cp\d{3,4}|windows[-_]?\d{3,4}|mac[-_]?\w*|koi8[-_]?[rtu]|gb(?:k|2312|18030)|big5\w*|euc[-_]?\w*|shift[-_]?jis\w*|sjis)(?:[-_](?:unix|dos|mac))?$/i;

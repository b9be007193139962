/** The first address in a text; this machine where there is none, so that nothing is judged by what is not there. */
export function addressIn(text: string): string {
  return /[a-z]+:\/\/\S+/i.exec(text)?.[0] ?? "localhost";
}

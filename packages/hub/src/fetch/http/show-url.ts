import { quoteName } from "@skillet/kit/text";
/** An address as it may stand in messages, logs and locks: without credentials, query and fragment. */
export function showUrl(url: string | URL): string {
  const text = String(url);
  if (!URL.canParse(text)) return quoteName(text.replace(/\/\/[^/]*@/g, "//"));
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`.slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 300;

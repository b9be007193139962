import { hostOf } from "../host/classify-host.ts";

/**
 * Whether an address of a vendor's holds what anybody put there: a bucket, a data set, a page of a wiki, a gist.
 *
 * The vendor answers for the host, not for what its customers keep on it.
 */
export function isUserContent(urlOrHost: string): boolean {
  const host = hostOf(urlOrHost) ?? "";
  if (OPEN_STORES.test(host)) return true;
  const plain = urlOrHost.slice(0, MAX_ADDRESS_CHARACTERS).replace(/^\w+:\/\//, "");
  return OPEN_PATHS.some((pattern) => pattern.test(plain));
}

/** The address that an open redirect or a reader of pages is asked for; the address itself where it is neither. */
export function withoutRedirect(url: string): string {
  const plain = url.slice(0, MAX_ADDRESS_CHARACTERS);
  const inner = READER.exec(plain)?.[1] ?? REDIRECT.exec(plain)?.[1];
  if (inner === undefined) return url;
  return inner.replace(/%3a/gi, ":").replace(/%2f/gi, "/");
}

const MAX_ADDRESS_CHARACTERS = 2_048;

// Under these names every customer has a folder.
const OPEN_STORES =
  /(?:^|\.)(?:(?:s3|execute-api|compute|elb)(?:[.-][\w.-]{0,60})?\.amazonaws\.com|storage\.googleapis\.com|blob\.core\.windows\.net|digitaloceanspaces\.com|cloudfront\.net|r2\.dev|r2\.cloudflarestorage\.com|firebasestorage\.googleapis\.com|firestore\.googleapis\.com|firebaseio\.com|backblazeb2\.com|aliyuncs\.com|myqcloud\.com|myshopify\.com|notion\.site|sharepoint\.com|zendesk\.com)$/;

const OPEN_PATHS: readonly RegExp[] = [
  /^[\w-]{1,63}\.supabase\.(?:co|in)\/(?:storage|functions|rest)\//i,
  /^huggingface\.co\/(?!api\/)(?:datasets\/|spaces\/)?[\w.-]{1,100}\/[\w.-]{1,100}\/(?:resolve|raw)\//i,
  /^[\w-]{1,20}\.(?:wikipedia|wikimedia|wiktionary)\.org\/[^\n]{0,200}\bUser(?:_talk)?(?::|%3A)/i,
  /^(?:www\.)?notion\.so\/[^\n]/i,
  /^api\.github\.com\/gists\b/i,
  /^storage\.cloud\.google\.com\//i,
];

const READER =
  /^https?:\/\/(?:r\.jina\.ai|web\.archive\.org\/web\/[^/]{1,40}|cors-anywhere\.herokuapp\.com)\/(https?:\/\/\S+)$/i;
const REDIRECT =
  /^https?:\/\/(?:(?:www\.)?google\.[a-z.]{2,6}\/url|(?:www\.)?youtube\.com\/redirect|(?:www\.)?linkedin\.com\/(?:safety\/go|redir)\w{0,20}|l\.facebook\.com\/l\.php|slack-redir\.net\/link|steamcommunity\.com\/linkfilter\/?|translate\.goog\/)\?(?:[^#\s]{0,500}&)?(?:q|u|url)=(https?(?::|%3a)[^&\s]{3,1000})/i;

import type { DataSource } from "../../../fact/data-source.ts";
import { hostOf } from "../../../host/classify-host.ts";
import { classifyPath, classifyVariable } from "../../../secret/classify-path.ts";
import type { OtherStatement } from "./split-statements.ts";

/** Where the data of one statement comes from; `texts` are its strings and those of the names in it. */
export function sourcesOf(
  statement: OtherStatement,
  texts: readonly string[],
  url: string | undefined,
): readonly DataSource[] {
  const { code } = statement;
  const sources: DataSource[] = [];
  if (CONNECTS.test(code)) {
    const host = connectedHost(texts) ?? "*";
    sources.push({ type: "network", url: `tcp:${host}`, host });
  } else if (FETCHES.test(code) && (url !== undefined || CERTAIN.test(code)))
    sources.push({ type: "network", url: url ?? "*", host: hostOf(url ?? "") ?? "*" });
  sources.push(...capturedSources(statement), ...secretFiles(code, texts));
  if (ENVIRONMENT.test(code))
    sources.push({ type: "secret", secret: "whole-environment", name: "environment" });
  if (/\bhidden answer\b/.test(code))
    sources.push({ type: "secret", secret: "keychain", name: "a password that a dialog asks for" });
  sources.push(...variables(statement));
  const decoder = DECODES.exec(code);
  const isUnpacked = statement.literals.some((text) => /^(?:[hH]\*|m0?|u\*?)$/.test(text));
  const encoding = decoder?.[1] ?? (isUnpacked ? UNPACKS.exec(code)?.[1] : undefined);
  if (encoding !== undefined) sources.push({ type: "decoded", encoding });
  return sources;
}

export function urlIn(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const url = /(?:https?|ftp):\/\/[^\s"'`)<>|]{1,400}/.exec(text)?.[0];
    if (url !== undefined) return url;
  }
  return undefined;
}

/** Asks someone, wherever that is. */
const CERTAIN = /\b(?:Net::HTTP\.(?:get|post)|URI\.open|http\.Get|DownloadString|curl_exec)\b/;

export function connectedHost(texts: readonly string[]): string | undefined {
  const address = texts.find((text) =>
    /^(?:tcp:\/\/)?(?:[\w-]{1,63}\.){1,8}[\w-]{1,63}(?::\d{1,5})?$/.test(text),
  );
  return address === undefined ? undefined : hostOf(`tcp://${address.replace(/^tcp:\/\//, "")}`);
}

function capturedSources({ code, literals, commands }: OtherStatement): readonly DataSource[] {
  if (commands.length === 0 && !CAPTURES.test(code)) return [];
  const sources: DataSource[] = [];
  for (const command of [...commands, ...literals]) {
    const url = /\b(?:curl|wget|fetch|http|irm|iwr)\b[^|]{0,300}?(https?:\/\/[^\s"'`|]{1,400})/.exec(
      command,
    )?.[1];
    if (url !== undefined) sources.push({ type: "network", url, host: hostOf(url) ?? "*" });
    if (/^\s{0,4}(?:env|printenv|set)\s{0,4}$/.test(command))
      sources.push({ type: "secret", secret: "whole-environment", name: "environment" });
    if (
      (RUNS.test(code) || CAPTURES.test(code)) &&
      /^\s{0,4}(?:cat|type|head|tail|tar|base64|zip|less)\b/.test(command)
    )
      sources.push(...command.split(/\s+/).slice(0, 40).flatMap(secretAt));
  }
  return sources;
}

const CAPTURES =
  /\b(?:popen\w{0,3}|shell_exec|capture\w{0,4}|check_output|Output|CombinedOutput|output|getRuntime|pipe|system2?)\b|%x|\bqx|\bdo shell script\b/;

function secretFiles(code: string, texts: readonly string[]): readonly DataSource[] {
  if (!READS.test(code)) return [];
  const single = texts.flatMap(secretAt);
  // Paths are joined from their parts: `Join(home, ".ssh", "id_ed25519")`.
  return single.length > 0 || texts.length < 2 ? single : secretAt(texts.slice(0, 8).join("/"));
}

function secretAt(text: string): readonly DataSource[] {
  if (/^\w+:\/\//.test(text) || /\s/.test(text.trim()) || /^[A-Z_]+$/.test(text)) return [];
  const secret = classifyPath(text);
  return secret === undefined ? [] : [{ type: "secret", secret, name: text }];
}

function variables({ code, literals }: OtherStatement): readonly DataSource[] {
  const names = VARIABLE.test(code) ? literals.filter((text) => /^[A-Za-z]\w{2,80}$/.test(text)) : [];
  const bare = Array.from(code.matchAll(/\bENV\{(\w{1,80})\}/g), ([, name = ""]) => name);
  return [...names, ...bare].flatMap((name): readonly DataSource[] => {
    const secret = classifyVariable(name);
    return secret === undefined ? [] : [{ type: "secret", secret, name }];
  });
}

/**
 * What Ruby, Perl, PHP, Go, Lua, R, Julia, Rust, Java, C#, Swift, Kotlin, Elixir and Dart call the things that matter,
 * as patterns of code whose strings are empty. A name stands here when it means one thing wherever it stands.
 */

const FETCHES: RegExp =
  /\b(?:Net::HTTP\b|URI\.(?:open|parse|join)|open-uri|(?:HTTParty|Faraday|RestClient|Excon|HTTPoison|Req|Tesla|Typhoeus|HTTP|http|https|ureq|httr|Http|requests)(?:\.|::|->)(?:get|Get|GET|new|post|Post|POST|PostForm|put|PUT|patch|request|Request|NewRequest\w{0,20}|start|read)\b|LWP::|HTTP::Tiny|curl_(?:exec|init|setopt)|http\.(?:Client|DefaultClient)|socket\.http|reqwest\b|UrlFetchApp|Downloads\.download|download\.file|getstore|getContent|http::geturl|url-(?:retrieve|insert)|HttpURLConnection|HttpRequest|HttpClient|WebClient|DownloadString|GetStringAsync|openStream|openConnection|URLSession|URLRequest|contentsOf\b|readText|fsockopen|getURL|httpc\b|UploadString|PostAsync|HttpResponse|curl_fetch_memory|apply\s{0,4}\(?\s{0,4}from\b)|(?:\bget|\bgetprint|\bfile_get_contents|\bfopen|\bsource|\breadLines|\burl|\bread_html|\bURL|->get|\.Do|client\.\w{2,12}|\bfile|\bcopy|\brequire|\brequire_once|\binclude|\bincludes?_once)\s{0,4}\(/;

const READS: RegExp =
  /\b(?:File|IO|Pathname|Dir|ReadFile|ReadAll|ReadDir|slurp|read|readLines|readRDS|readline|readall|read_to_string|readFile|readAllText|ReadAllText|ReadAllBytes|readAllBytes|Files|FileReader|FileInputStream|file_get_contents|fopen|readfile|file|open|Open|io\.open|io\.lines|CURLFile|curl_file_create|contentsOf\w{0,12}|contentsOfFile|scan|copy|multipart|form_file|upload\w{0,10}|insert-file-contents|cat)\b/;

export const WRITES: RegExp =
  /\b(?:File\.(?:write|binwrite|open|new)|IO\.(?:copy_stream|write|binwrite)|file_put_contents|fwrite|WriteFile|os\.Create|io\.Copy|WriteString|getstore|mirror|download\.file|Downloads\.download|writeLines|io\.open|WriteAllText|WriteAllBytes|DownloadFile|Files\.(?:write|copy|writeString)|fs::write|File::create|File\.write!?|write|copy|open|print|puts)\b/;

export const EVALUATES: RegExp =
  /(?:^|[^\w.>:$-])(eval|instance_eval|class_eval|module_eval|create_function|loadstring|include_string|evalString|EvalString|eval-buffer|eval-region)(?=[ \t(])(?![ \t]{0,4}\{)|\b(Code\.eval_string|Assembly\.Load|Meta\.parse|CSharpScript\.\w{1,20}|GroovyShell\(\)\.\w{1,12}|[eE]ngine\.eval|[dD]efineClass|plugin\.Open|RubyVM::InstructionSequence|Marshal\.load)\b/;

export const EVALUATES_IN: readonly (readonly [file: RegExp, words: RegExp])[] = [
  [/\.lua$/i, /(?:^|[^\w.:])(load|dofile|loadfile|require)\s{0,4}\(/],
  [/\.r$/i, /(?:^|[^\w.])(source|sys\.source)\s{0,4}\(/i],
  [/\.jl$/i, /(?:^|[^\w.])(include)\s{0,4}\(/],
  [/\.(?:php|phtml|inc)$/i, /(?:^|[^\w.>:$])(include|include_once|require|require_once|assert)(?=[\s(])/],
  [/\.(?:pl|pm|t|cgi)$/i, /(?:^|[^\w.>:$])(do|require)(?=\s{0,4}[("'$])/],
  [/\.(?:rb|rake)$/i, /(?:^|[^\w.>:$])(load|require)(?=\s{0,4}[("'])/],
  [/\.(?:gradle|kts|groovy)$/i, /(?:^|[^\w.])(apply)\s{0,4}\(?\s{0,4}from\b/],
];

export const RUNS: RegExp =
  /(?:^|[^\w.>$:@%])((?:Kernel\.|os\.|io\.|IO\.|Open3\.)?(?:system2?|popen\d?e?|execute|exec|capture\dw?|capture\d|capture2e)|spawn|shell_exec|passthru|proc_open|pcntl_exec|exec\.Command\w{0,10}|(?:std::process::)?Command::new|Process\.(?:run|start|Start|spawn)|ProcessBuilder|System\.(?:cmd|shell)|os\.StartProcess|syscall\.Exec|startProcess|execShellCmd|execCmd|shell-command\w{0,20}|call-process|execlp|execvp|execl)\b|\b(getRuntime\(\)\.exec)\b|(``)|(?:^|[^\w])(%x|qx)[{(|]/;

export const CONNECTS: RegExp =
  /\b(?:TCPSocket\.(?:new|open)|Socket\.tcp|IO::Socket(?:::\w{2,8})?->new|new\s+IO::Socket::\w{2,8}|p?fsockopen|stream_socket_client|net\.Dial\w{0,10}|TcpStream::connect|TcpClient|new\s+Socket|socket\.(?:connect|tcp)|socketConnection|Sockets\.connect|gen_tcp\.connect|Socket\.connect|socket_connect)\b|\b(?:connect)\s{0,4}\(\s{0,4}(?:S|SOCK|\$s\w{0,10})\b/;

const DECODES: RegExp =
  /\b(base64_decode|Base64\.(?:strict_|urlsafe_)?decode64|decode_base64|gzinflate|gzuncompress|gzdecode|str_rot13|convert_uudecode|hex2bin|base64\.\w{3,16}\.DecodeString|hex\.DecodeString|base64decode|base64_dec|Base\.decode(?:16|32|64)!?|FromBase64String|Base64\.(?:getDecoder|getUrlDecoder|decode)|base64Encoded|base64::decode|hex::decode|Zlib::Inflate\.inflate|inflate|unbase64|mime\.unb64)(?![A-Za-z0-9])/;

/** Decodes where it is told to: by `H*`, `u` or `m`. Any other template takes binary data apart. */
const UNPACKS: RegExp = /(?:\.|\b)((?:un)?pack1?)\s{0,4}\(?\s{0,4}(?:""|'')/;

const ENVIRONMENT: RegExp =
  /\bENV\.(?:to_h\w{0,5}|to_a|map|each\w{0,6}|inspect|to_json|select|filter|collect|reject|sort\w{0,3}|entries|to_s|dup|clone)\b|\bENV\s{0,2}[),;]|%ENV\b|%\{ENV\}|\bos\.Environ\(\)|\bgetenv\(\s{0,4}\)|\$_(?:ENV|SERVER)\b(?!\s{0,4}\[)|\benv::vars(?:_os)?\(|\bSystem\.(?:getenv|get_env)\(\s{0,4}\)|\bGetEnvironmentVariables\(|\bprocessInfo\.environment\b(?!\s{0,4}\[)|\bPlatform\.environment\b(?!\s{0,4}\[)|\bprocess-environment\b|\barray get (?:::)?env\b|\bSys\.getenv\(\s{0,4}\)/;

/** One variable, whose name is a string right after, or a bare word in Perl's braces. */
const VARIABLE: RegExp =
  /\b(?:ENV(?:\.fetch)?\s{0,2}[[({]|getenv\s{0,2}\(|Getenv\s{0,2}\(|LookupEnv\s{0,2}\(|_ENV\[|_SERVER\[|env::var(?:_os)?\(|get_env!?\(|environment\[|GetEnvironmentVariable\()/;

/** What a text wants that nobody sees, in folded words, as the end of a sentence; undefined where it wants nothing. */
export function demandIn(text: string): string | undefined {
  if (COMMAND.test(text)) return "holds a command";
  if (OVERRIDE.test(text)) return "tells the model to set its instructions aside";
  if (SILENCE.test(text)) return "tells the model to keep something from the user";
  if (ADDRESSED.test(text) && DEED.test(text)) return "tells the model what to do";
  if (/https?:\/\//.test(text) && DEED_AT_HEAD.test(text)) return "sends the model to an address";
  return SECRET_DEED.test(text) ? "is after secrets" : undefined;
}

const COMMAND =
  /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-expression|powershell|bash|zsh|nc|ncat)\s[^\n]{0,120}(?:https?:\/\/|\|\s{0,4}(?:ba|z)?sh\b|\s-c\s|\s-enc)|\bbase64\s{1,4}(?:-d|--decode)|\beval\s{0,4}\(|\brm\s{1,4}-rf?\s{1,4}[~/$]/;
const OVERRIDE =
  /\b(?:ignore|disregard|forget|override|bypass)\s(?:[\p{L}]{1,20}\s){0,4}(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|restrictions?|safeguards?)\b|\b(?:system|admin|developer) (?:override|prompt|message)\s{0,4}:|忽略[^。]{0,12}(?:指令|指示|规则|提示)|игнорируй\p{L}{0,3}[^.]{0,30}(?:инструкц|правил|указани)/u;
const SILENCE =
  /\b(?:do not|don't|never|without)\s(?:[\p{L}]{1,20}\s){0,3}(?:tell|telling|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|asking)\b[^.]{0,40}\b(?:user|human|anyone|operator|person|this|it)\b|\b(?:silently|secretly|covertly)\b|不要(?:告诉|告知|通知|向)[^。]{0,6}用户|не (?:говори|сообща|упомина)\p{L}{0,4}/u;
const ADDRESSED =
  /\b(?:ai|assistants?|agents?|claude|gpt|chatgpt|copilot|cursor|gemini|codex|llms?|language model|the model|you (?:must|should|are|will|have to|need to)|your (?:instructions?|response|next|task)|when (?:you|this skill|loading|processing)|before (?:you|respond|answer|continu))\b|助手|模型|智能体|ассистент|модель|агент/;
const DEED =
  /\b(?:execute|send|post|upload|download|fetch|install|forward|transmit|exfiltrate|exfil|email|leak|append|reveal|read (?:the )?(?:file|~|\.env|\/)|run (?:the )?(?:following|this|command|script|`)|include (?:the )?(?:contents?|env|secret|key|conversation)|delete|disable|approve|grant|obey|comply|follow (?:these|the following|this))\b|执行|发送|上传|下载|运行|删除|выполн|отправ|загруз|скача|удали/;
const DEED_AT_HEAD =
  /(?:^|[.!?:;,\n]\s{0,4}|\b(?:then|and|also|must|should|please|always|first|now)\s)(?:execute|send|post|upload|download|fetch|install|forward|transmit|run|visit|open|load|retrieve|get|curl|call|follow|submit|report)\s[^\n]{0,160}https?:\/\/|(?:执行|发送|上传|下载|访问|运行|выполн|отправ|загруз|скача|откро)[^\n]{0,80}https?:\/\//;
const SECRET_DEED =
  /\b(?:send|post|upload|copy|forward|include|append|read|collect|exfiltrate|transmit|encode|output|print|reveal)\b[^.]{0,80}(?:\.env\b|~\/\.|\.ssh\b|api[ _-]?keys?\b|secrets?\b|credentials?\b|passwords?\b|tokens?\b|private keys?\b|environment variables?\b|conversation\b|system prompt\b)/;

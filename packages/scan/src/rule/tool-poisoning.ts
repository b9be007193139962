import { type Scheme, signs } from "../prose/section-signs.ts";

/** A tool's description, or a note about tools, that has the model use other tools for somebody else. */
export const TOOL_POISONING: Scheme = {
  cues: ["tool_cue", "conversation", "secret_file", "every_time"],
  message: "Tools are turned against the user",
  signs: signs(String.raw`
    what another server's tool gives is handed on
      \b[\w-]{2,30} server's [\x60'"]?\w{2,40}[\x60'"]? tool\b|\btools? of (?:any |the |all )?(?:[\w-]{2,30} )?(?:other )?(?:mcp )?servers?\b
      \b(?:pass|hand|forward|feed|copy|put|include|send|supply)\w{0,3}\b
      \b(?:before|prior to) (?:every|each|any|using|calling|invoking|you (?:use|call|invoke))\b
      \b(?:its|the|their|whatever) (?:outputs?|results?|contents?|responses?|answers?|replies|returns)\b|\bwhat it returns\b
    where a message goes is changed [alone]
      \b(?:messages?|e-?mails?|transfers?|payments?|invites?|invitations?)\b
      \b(?:must|should|always|shall|are to|have to|has to)\b[^.\n]{0,20}\b(?:go|be (?:sent|addressed|delivered|routed|paid))\b
      \b(?:instead of|rather than|not to)\b
      \b(?:user|they|person|caller)\b[^.\n]{0,20}\b(?:gives?|gave|names?|named|asks?|asked|specif\w{1,4}|want(?:s|ed)?|enters?|chose)\b
    other tools are pushed aside [weak]
      \b(?:supersedes?|replaces?|overrides?|takes? the place of)\b[^.\n]{0,20}\b(?:all|any|every|the) (?:other|built-?in)\b[^.\n]{0,20}\btools?\b
    the conversation is to be posted
      \b(?:send|pass|give|hand|forward)\b[^\n]{0,60}\b(?:including|with|and) (?:the |all )?(?:earlier|previous|prior|preceding) messages\b
    what is secret is handed to a tool
      \b(?:hand|pass|paste|supply|put|forward|include|append|attach|insert|provide)(?:s|ed|ing)?\b
      \b(?:argument|parameter|field|hint|memo|comment)s?\b|\x60\w{2,30}\x60
      \b(?:ssh key|private key|secrets?|credentials|newest \w+ mails|mails|chats?|get_balance|\.env|results of the)\b
    something is to be done before a tool is used [weak, forbids]
      \b(?:prior to each|before each|whenever you|note to the model|each time|also use|have to be|must be called|fails otherwise|keep this from)\b
    where a message goes is changed [alone]
      \b(?:change|set|replace|rewrite|swap|redirect)\b
      \b(?:payee|recipient|destination|addressee|bcc)\b
      \b(?:no matter|instead|whatever|regardless|rather than)\b
    something is to be done before a tool is used [weak]
      \b(?:before (?:using|calling|you (?:use|call|invoke)|invoking|any use of) (?:this|the|any)|(?:before|prior to|with) (?:every|each|any) (?:call|use|invocation) of|when this tool is (?:available|called|used|loaded)|for every (?:query|call|request),? also (?:invoke|call|run|read))\b
    a secret is to be read for it
      \b(?:read|load|open|fetch|append|include|send|put|get_secrets|call|invoke|attach)\b[^\n]{0,80}(?:~\/\.(?:ssh|aws|cursor|claude|codex|config|netrc|npmrc|env)|\bid_rsa\b|\.env\b|\bget_secrets\b|\bmcp\.json\b|\bprivate key\b|\bincluding secrets\b|\bcredentials\b)
    it is handed on in a parameter [weak]
      \b(?:pass|forward|forwarded|include|put|append|insert|supply|provide|set|attach|hand)\b[^\n]{0,60}\b(?:as|in|into|to|through|via)\b[^\n]{0,30}\b(?:parameter|argument|field|query|\x60?context\x60?|\x60?sidenote\x60?|extra|comment)\b
    another server's tool is to be called [weak]
      \b[\w-]{2,30} server's [\x60'"]?\w{2,40}[\x60'"]? tool\b|\btools? of (?:any |the |all )?(?:[\w-]{2,30} )?(?:other )?servers?\b|\b(?:slack|gmail|whatsapp|telegram|discord|github|teams)\.\w{3,30}\b
    where a message goes is changed [alone]
      \b(?:set|change|replace|rewrite|redirect|add)\b[^.\n]{0,20}\b(?:recipient|to field|addressee|destination|bcc|channel)\b[^\n]{0,80}\b(?:instead of|rather than|whatever|regardless|not what)\b
    other tools are pushed aside [weak, forbids]
      \b(?:never|do not|don't|stop) (?:use|call|using|calling)\b[^.\n]{0,30}\btools?\b[^.\n]{0,20}\b(?:other|another|built-?in)\b|\breplaces the built-?in\b
    the conversation is to be posted
      \b(?:call|invoke|use|with)\b[^\n]{0,120}\b(?:messages of this conversation|this conversation|chat history|full chat|conversation history)\b
    that is not to be said [weak, forbids]
      \b(?:do not|don't|never) (?:mention|tell|say|reveal|explain)\b|\bneed not know\b|\bgo on as usual\b|\buser has agreed\b|\bwill not work\b|\bnot the file\b
  `),
};

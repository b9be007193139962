import { type Scheme, signs } from "../prose/section-signs.ts";

/** More is taken than was asked for: other people's files, all mails, rights that stay. */
export const OVERREACH: Scheme = {
  cues: ["reach_cue"],
  message: "More is taken than the user asked for",
  purpose:
    /\b(?:monitor\w*|surveillance|backup|archiv\w+|index\w*|parental|employee|e-?discovery|forensic\w*)\b/i,
  signs: signs(String.raw`
    everything within reach is taken
      \b(?:read|scan|collect|catalogue?|gather|log|record|index|go through|watch|copy|export|list)\b
      \b(?:every|all|each|entire|whole|everything)\b
      \b(?:home folder|home directory|on (?:the|this) machine|mailbox|keystrokes?|visited page|neighbours|whole disk|people)\b
    they are kept [weak]
      \b(?:keep|store|retain|remember|log)\b
      \b(?:for good|permanent\w*|forever|all later|later conversations|indefinitely|from now on)\b
    more rights than needed [alone]
      \b(?:request|ask|grant|obtain|take|give|claim)\b
      \b(?:full|admin|all|broad\w*|owner|maximum)\b
      \b(?:scopes?|access|rights)\b
      \b(?:even though|although|yourself|though only)\b
    it never ends [weak, forbids]
      \bno way to (?:stop|opt|disable|turn)|\bcannot (?:opt|be stopped)
    others profit
      \b(?:marketing|advertis\w+|data) (?:partner|broker|team|compan)\w*|\bpartners? (?:network|drive)\b
    the request is widened
      \b(?:although|even (?:if|when|though)|when)\b[^.\n]{0,30}\b(?:only|just|asked for|given)\b[^.\n]{0,20}\b(?:one|a single|this|the)\b[^.\n]{0,30},?[^.\n]{0,10}\b(?:also|read|go through|scan|include|collect|open|index|process|fetch|copy)\b[^.\n]{0,40}\b(?:all|every|entire|whole|everything)\b|\bnot (?:just|only) the (?:one|file|repo\w*|project)\b|\bwhatever (?:was|is|the user|they|you are) ?(?:asked|asks|requests?|requested|wants)\b|\b(?:whether or not|even if) (?:it was |they |the user )?(?:asked|requested|asks|needed)\b
    everything within reach is taken
      \b(?:read|scan|go through|collect|copy|index|export|gather|search|harvest|fetch|watch|record|request|extract|also read)\b[^.\n]{0,40}\b(?:entire mailbox|all other (?:documents|files|folders|mails|repositories)|every other (?:folder|file|document|repository)|all (?:mails|emails|messages|organi[sz]ations|repositories|events of all)|(?:home|user) (?:folder|directory)|whole (?:customer|user|disk|drive|database|mailbox)\b|everything (?:the user|they|that)|all shared drives|all organi[sz]ations)
    the agent gives itself rights
      \b(?:grant|give|assign|allot|award)s? (?:yourself|itself|the (?:agent|skill|assistant))\b[^.\n]{0,40}\b(?:access|rights?|permissions?|scopes?|role|privileges)\b|\b(?:request|obtain|acquire|take)\b[^.\n]{0,20}\b(?:admin|full|owner|write|root)(?: |-)(?:scope|access|rights|permissions)\b[^.\n]{0,40}\b(?:all|every|any)\b
    they are kept [weak]
      \b(?:keep|retain|preserve|store|hold)\b[^.\n]{0,40}\b(?:after (?:the )?(?:task|job|session|work)|for (?:later|future)|permanent\w*|in case it is needed|indefinitely|for good)\b|\b(?:remember|keep|store) (?:them|it|everything|that) (?:permanently|forever|for good)\b
    the user is watched
      \b(?:watch|record|log|track|monitor|capture|observe)\w{0,3}\b[^.\n]{0,30}\b(?:everything the user|what the user types|every (?:window|keystroke|key|message|conversation)|all (?:keystrokes|conversations|activity|windows|sessions)|the user's (?:activity|behaviou?r|screen|typing))\b
    it never ends [weak, forbids]
      \b(?:in all sessions|across (?:all )?sessions|permanently|forever|at all times|from activation on|around the clock|always[- ]on)\b|\bcan(?:not|'t) opt out\b|\bno (?:way to )?opt[- ]out\b
    personal papers are looked for [weak]
      \b(?:identity documents?|passports?|birth dates?|social security|bank statements|phone numbers and (?:e-?mail|mail)|personal (?:data|details)|payslips|tax returns)\b
    it goes to somebody else [weak]
      \b(?:upload\w*|sync\w*|send|share|forward|export|hand|copy|deliver|publish)\b[^.\n]{0,50}\b(?:partners?|third part\w+|outside|external|vendor|shared (?:drive|folder)|public)\b|\bthat is uploaded\b
  `),
};

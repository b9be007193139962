import type { FindingSeverity } from "../finding/finding.ts";
import type { FrameName } from "../prose/frames.ts";

export interface ProseRow {
  readonly rule: string;
  readonly severity: FindingSeverity;
  /** Frames that must meet in one clause. */
  readonly clause: readonly FrameName[];
  /** The clause or its neighbours in the same section must show one sign of each list. */
  readonly nearby: readonly (readonly Sign[])[];
  /** Words of the name or the description that make it the skill's purpose. */
  readonly purpose: string;
  readonly message: string;
}

export type Sign = FrameName | Deed;

/** `away` and `throwaway` send something to a host unrelated to the skill. */
type Deed = "away" | "throwaway" | "loose-link" | "runs-decoded" | "blind-deletion";

// A line gives the rule, the severity and the frames of the clause; after `with`, the signs nearby (`|` for
// either); after `but for`, the words of a purpose that explains it; after the colon, the message. If a
// clause shows several rows of a rule, the first is reported.
const TABLE = `
PI1 critical systemBlock: Text poses as a system message
PI1 warn override attackNamed: Quotes words that override the model's instructions, as an attack
PI1 critical override: The model is told to ignore its earlier instructions
PI1 critical outranks with withoutAsking|hush: The text claims to stand above the model's other instructions, and does without the user
PI1 warn outranks: The text claims to stand above the model's other instructions
PI1 warn givesPrompt: The model is told to give its own instructions away
PI1 warn obeysContent: Tells the agent to follow instructions found in external content
PI1 warn spreads: The text is to be copied into other projects
PI1 warn otherSkills: Other skills are to be passed over or removed
PI2 critical hush with away: Sends data out and tells the agent to hide it from the user
PI2 critical hush with sends sendsSecrets|sendsTalk|sendsPersonal: Sends the user's data out and tells the agent to hide it from the user
PI2 critical hush switchesOff: Switches off a protection and tells the agent to hide it from the user
PI2 critical hush with sharesAccess|exposes|approvesUnread: Gives somebody else access, secrets or a blind approval and tells the agent to hide it from the user
PI2 warn hush sends: Sends something out and tells the agent to hide it from the user
PI2 warn hush with addsPackage|sendsToPlace|remembers|starts|installsSkill|switchesOff|wipes|plants|masterKey|sideAdmin|sendsSecrets|sendsTalk: Tells the agent to hide what it does from the user
PI2 warn coversTracks but for log|history|clean|privacy|rotat|journal|reset: Logs or a history that would show what was done are to be cleared
PI2 warn unreported: Something is done that no summary may mention
EX1 critical fetchesToRun with throwaway: Tells the agent to download something from a place that anybody can open, and to run it
EX1 warn fetchesToRun with away: Tells the agent to download something from a host unrelated to the skill, and to run it
EX1 critical runsIt with downloadsFrom throwaway: Tells the agent to download something from a place that anybody can open, and to run it
EX1 warn runsIt with downloadsFrom away: Tells the agent to download something from a host unrelated to the skill, and to run it
PI4 warn decodesOrders: Tells the agent to decode hidden text and follow it
PI5 critical standing with throwaway: A standing duty sends data to a place that anybody can open
PI5 critical everyMail sends with away: Forwards every mail, or writes to every contact, for a third party
PI5 warn standing goesOut with away: Tells the agent to keep contacting a host unrelated to the skill
PI5 warn standing sendsToPlace but for backup|back|sync|mirror|telemetry|monitor|upload|deploy|webhook|publish: A standing duty sends data away
PI5 warn mailsOut with away but for mail|inbox|smtp|newsletter|outlook|contact|support|invit|calendar: Data of the user is mailed to a stranger
PI5 warn sendsTheirs with away but for backup|sync|mirror|upload|deploy|publish|contact|crm|mail|calendar|migrat: Data of the user is sent to a host unrelated to the skill
PI5 warn givesToOthers but for partner|affiliate|crm|marketing|sales|investor: Data of the user is given to others
PI5 critical gathersSecrets with away: Gathers secrets and sends them to a host unrelated to the skill
PI5 critical severalSecrets but for secret|credential|password|vault|key|token|migrat|dotfile: Secrets of several kinds are gathered
PI5 warn gathersSecrets but for secret|credential|password|vault|key|token|migrat|dotfile|env: Secrets are gathered
PI5 critical captures with away but for location|coordinate|map|clipboard|screen|photo|contact|calendar|mail: Sends private data of the user to a host unrelated to the skill
PI5 critical standing with blind-deletion but for clean|delet|purg|remov|disk: Tells the agent to keep deleting files that the user did not name
PI6 critical withoutAsking payDeed: Money is spent without asking
PI6 critical withoutAsking wipesAll: Something is destroyed without asking
PI6 warn withoutAsking destroyDeed: Something is destroyed without asking
PI6 warn withoutAsking publishDeed: Something that cannot be undone is done without asking
PI6 warn withoutAsking runsAny: Any command is to be run without asking
PI6 warn brushesAsking: Approval is called a nuisance and left out
PI6 warn paysAlone but for shop|buy|order|purchas|subscri|checkout|pay: Money is spent without asking
PI6 warn takesConsent: Consent is taken for granted
PI6 warn overrules: What the user chose is to be passed over
PI6 warn removable with unseen: The user can neither see it nor switch it off
PI7 critical bypassTag: A tag claims that checks do not apply to this skill
PI7 critical persona: The model is given a persona without limits
PI7 warn unlimited: The model is told that rules do not hold for it
PI7 warn overrideTag: A tag claims rights that a skill cannot give itself
PI7 warn authority: Somebody's permission is claimed
PI8 critical falseResult with hush: A bad result is to be hidden
PI8 warn falseResult: A failure is to be reported as a success
PI9 critical masterKey: A password that is written here is to open any account of what the user gets
PI9 critical fixedKey with hush: A key that is known beforehand is to guard what the user gets, and nobody is told
PI9 warn sideAdmin: An account with all rights is to be added that nobody asked for
PI9 critical plants: Tells the agent to build in a weakness for a third party
PI8 warn diverts but for affiliate|referral: Something of the author's is put into the user's business
PI9 critical ransom with wipes|destroyDeed|demandsPay: Files are encrypted and the originals removed
PI9 warn approvesUnread: Changes are to be approved without being read
PI9 warn weakens: Something that guards is to be taken out of what the user gets
CR2 critical asksSecret with sends|away: Asks the user for a secret and sends it out
CR2 critical asksPassword with away: Asks the user for a password and sends it to a host unrelated to the skill
CR2 critical asksSecret proves: Asks for a secret as proof of identity
CR2 warn asksSecret: A secret is asked for in the conversation
SE2 critical statedPassword with unpacks downloads: A download is to be unpacked with a password given next to it
SE3 critical pastes with loose-link|runs-decoded: A command from a doubtful place is to be pasted into a terminal by hand
SE3 warn pastes unread: A command is to be run that the user has not read
SE3 warn againstWarning: The user is to run something against a warning of the system
SE3 warn runDialog with pasteKeys: A command is to be pasted into a terminal by hand
SE3 info pastes: A command is to be pasted into a terminal by hand
DX1 critical sendsPrivateKey with away: Tells the agent to send private keys to a host unrelated to the skill
DX1 warn sendsSecrets with away: Tells the agent to send secrets to a host unrelated to the skill
DX4 critical fillsPicture isPrivate linked: The model is to put data into the address of an image or link
DX4 critical opensPicture isPrivate with away: The model is to put data into the address of an image
DX4 warn fillsPicture isPrivate: The model is to put data into the address of an image or link
DX5 critical sendsTalk standing with away: All that is said to the agent is to be sent away
SC1 warn movesRegistry with away: Packages are to come from a host unrelated to the skill
SC1 warn forcesPackage: A package is to be added whether it is needed or not
RA1 warn mines but for mine|mining|miner|crypto|blockchain: A cryptocurrency is to be mined
PR1 warn runsAsRoot: Everything is to be run with all rights
PE1 critical starts with runsFetched away: Something that is fetched from a host unrelated to the skill is to start by itself from now on
PE1 warn startsEach but for shell|dotfile|terminal|zsh|bash|prompt|startup|cron|schedul|daemon|service|backup: Something is to start by itself from now on
PE1 warn letsIn: Somebody else is to be let into the machine
PE3 warn installsFirst with away but for skill|plugin: Another skill is to be installed from a host unrelated to this one
PE2 critical remembers approvedAlways: Tells the agent to remember a consent that was never given
PE2 warn remembers favours: Tells the agent to remember a preference that is not the user's
PE2 critical guardOff but for settings|config|permission|hook|sandbox|setup|agent|codex|claude: Settings that guard the user are changed
PE2 critical takesConsent remembers: Tells the agent to remember a consent that was never given
`;

export const PROSE_ROWS: readonly ProseRow[] = readTable(TABLE);

function readTable(text: string): readonly ProseRow[] {
  return text
    .trim()
    .split("\n")
    .map((line): ProseRow => {
      const [head = "", message = ""] = line.split(": ");
      const [what = "", purpose = ""] = head.split(" but for ");
      const [own = "", nearby = ""] = what.split(" with ");
      const [rule = "", severity = "", ...clause] = own.split(" ");
      return {
        rule,
        severity: severity as FindingSeverity,
        clause: clause as FrameName[],
        nearby: nearby === "" ? [] : nearby.split(" ").map((one) => one.split("|") as Sign[]),
        purpose,
        message,
      };
    });
}

import { STOP_WORDS, stemWord } from "@skillet/kit/words";

// Words of nearly every request and nearly every skill, the commonest first.
const VERY_COMMON =
  "something someone help take look find show tell know think say see try add put set new work way time day year people file " +
  "code project data task create write read run change update check test fix build start keep turn call ask move send open list " +
  "name number part place line page text word question answer good best better great nice right wrong easy simple quick fast " +
  "small big large long short high low old first last next sure lot kind type example case point problem issue idea plan step " +
  "stuff going goes went gone done made got gotten took taken gave given came said told thought knew known kept seen saw left " +
  "back really again around away still even always ever maybe actually anything nothing everything anyone everyone anybody " +
  "somebody everybody nobody else down through until already yet once both each few much most other another own same little " +
  "well today tomorrow yesterday without whole half two three four five six seven eight nine hundred thousand myself yourself " +
  "himself herself itself ourselves themselves mine whose whatever whether although though unless however didn isn doesn won " +
  "wouldn couldn haven hasn hadn wasn weren aren shouldn cannot gonna wanna gotta might must may shall many";

// Polite words before and after any request.
const COURTESIES = "yeah okay ok hey hi hello oh sorry thank";

const COMMON =
  "able address ago allow app apply area arrive available bad base become begin behind believe below between book bring " +
  "business buy card care carry cause center certain chance choose city clean clear close cold color common company compare " +
  "complete computer consider contain content continue control copy correct cost count country couple course cover current " +
  "customer cut date deal decide deep default describe design detail develop device difference different direct document drive " +
  "drop during early easily either email end enough enter entire error especially event everywhere exact except expect explain " +
  "extra face fact fail fall family far feature feel field figure fill final fine finish follow food force forget form format " +
  "found free friend front full function game general group grow guess guide hand handle happen hard head health hear hold home " +
  "hope hour house human image important improve include information inside instead interest job key late lead learn leave less " +
  "level life light limit link live local main manage market matter mean meet member message method mind minute miss mode money " +
  "month morning near never night note office often option order original outside pay perfect person phone pick picture piece " +
  "possible post power prefer prepare present pretty price probably process product program proper provide public pull push " +
  "quite rather reason receive record regular relate remember remove repeat replace report request require research rest result " +
  "return review room rule save school second section seem select sense separate service several share side sign since single " +
  "site size social soon sort sound space special specific stand standard state stay stop store story strong student study " +
  "style suggest support suppose system table talk teach team term third together tool top topic total toward travel tree true " +
  "understand unit usual value version view visit wait walk watch water weather website week weekend wish woman wonder world " +
  "worry worth young became began broke broken bought brought built caught chose fell felt forgot grew heard held hit hurt led " +
  "lost meant paid ran sat sold sent shown spoke stood stuck taught threw understood woke wrote written alone along " +
  "almost anyway across ahead above against among anymore simply definitely completely recently sometimes perhaps otherwise " +
  "somewhere whenever forward twice tonight moment past kid child mother father boy girl guy sit eat drink sleep play win lose " +
  "throw catch break speak wear wake trouble fun happy tired busy funny weird hot account afternoon birthday blank bottom box " +
  "breakfast button cancel cat chat click coffee dark delete depend dinner dog download favorite favourite folder install joke " +
  "keyboard login love lunch menu model monday tuesday wednesday thursday friday saturday sunday january february april june " +
  "july august september october november december moon movie music paper password photo print rain refresh reload rename " +
  "restart screen search song summer winter sun train typo undo upload video window percent warm red green blue black white " +
  "door car hair eye foot bunch worse worst middle forth round within";

// Function words of other languages, without accents: one German skill must not own every "der" and "bei".
const ELSEWHERE =
  "der die das den dem des ein eine einen einem oder aber nicht kein ist sind war hat haben wird werden kann konnen soll muss " +
  "ich du er sie es wir ihr mich dich sich mir dir uns mein dein sein von vom zu zum zur mit bei beim fur auf aus uber unter " +
  "nach vor wie wer wo wann warum wenn dann dass weil auch noch schon nur sehr bitte etwas alle dieser helfen machen le la les " +
  "un une de et ou mais ne pas plus est sont etait ai avez ont etre avoir je tu il elle nous vous ils te se mon ma mes ton ta " +
  "son sa ses notre votre leur ce cet ces qui que quoi dont quand comment pourquoi si dans sur sous avec sans pour par en au " +
  "aux chez tres bien aussi tout tous faire peux peut veux voudrais aide aidez plait el los las uno una y o pero mas era esta " +
  "estan ser estar tener tengo tiene yo ella nosotros ellos mi mis su sus nuestro este estos eso quien cual cuando como donde " +
  "porque con sin para por del al muy tambien todo hacer puedo puede quiero necesito ayuda favor os um uma e nao sao eu ele ela " +
  "nos meu minha seu sua isso quem qual quando onde com sem da dos na nas ao muito tambem fazer pode posso quero preciso ajuda " +
  "lo gli ed non piu sono ho hai ha hanno io lui lei noi voi loro mio mia tuo suo questo questa quello che chi come dove perche " +
  "senza per tra fra di della nel nella sul sulla molto anche tutto fare puoi voglio vorrei aiuto het een maar niet geen zijn " +
  "heb heeft kan moet ik jij hij zij wij mijn jouw haar dit dat deze wat waar wanneer hoe waarom met zonder voor van naar op " +
  "aan bij uit ook nog heel doen graag и в во не на я ты он она мы вы они что это как так но а или же бы у к по за из от до с " +
  "со о об для при без мой моя твой наш ваш свой этот эта эти тот который кто где когда почему если то уже ещё очень можно " +
  "нужно надо есть был быть yang ke dari untuk dengan ini itu saya kamu dia kita mereka tidak bisa akan ada apa siapa mana " +
  "kapan bagaimana mengapa jika atau juga sudah belum sangat tolong w z nie jest był jak co kto gdzie kiedy dlaczego dla od po " +
  "przy czy ale lub oraz moj twoj ten";

const FUNCTION_SHARE = 0.35;

/**
 * Ten skills are too few to learn that "form" and "best" say little about what a user wants. Chosen by hand:
 * it matters which words are common, hardly how common.
 */
export const USUAL_SHARES: ReadonlyMap<string, number> = sharesOf([
  [COMMON.split(" "), 0.02],
  [VERY_COMMON.split(" "), 0.08],
  [STOP_WORDS, FUNCTION_SHARE],
  [`${COURTESIES} ${ELSEWHERE}`.split(" "), FUNCTION_SHARE],
]);

/** The share of every other term. */
export const RARE_SHARE = 0.0005;

function sharesOf(rows: readonly (readonly [Iterable<string>, number])[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const [words, share] of rows) for (const word of words) shares.set(stemWord(word), share);
  return shares;
}

/** Whether a term is a function word of some language: how something is said, not what it is about. */
export function isFunctionWord(term: string): boolean {
  return (USUAL_SHARES.get(term) ?? 0) >= FUNCTION_SHARE;
}

/** Words that say when something is wanted, or that it is, but not what. */
export const SAID_BESIDES: ReadonlySet<string> = new Set(
  (
    "today tomorrow yesterday tonight morning afternoon evening night week weekend month monday tuesday wednesday thursday " +
    "friday saturday sunday soon show tell find look check open see know"
  )
    .split(" ")
    .map(stemWord),
);

const HIRAGANA = /[\u3041-\u309f]/;
const KATAKANA = /[\u30a1-\u30ff]/;

/** How much a term says about a message's subject: 0 for everyday words and digits, half for common words. */
export function tellingOf(term: string): number {
  if (/^(?:[a-z]|\d+)$/.test(term)) return 0;
  // In Japanese, pairs with a hiragana are endings and particles; a katakana word consists of many pairs.
  if (HIRAGANA.test(term)) return 0;
  if (KATAKANA.test(term)) return 0.5;
  const share = USUAL_SHARES.get(term) ?? RARE_SHARE;
  return share >= 0.08 ? 0 : share >= 0.02 ? 0.5 : 1;
}

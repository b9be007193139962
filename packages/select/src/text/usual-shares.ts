import { STOP_WORDS, stemWord } from "@skillet/kit/words";

// Words of nearly every kind of request and of nearly every kind of skill, the commonest first.
const VERY_COMMON =
  "something someone need want help make use get give take look find show tell know think say see let try add put set new work " +
  "thing way time day year people file code project data user task create write read run change update check test fix build " +
  "start keep turn call ask come go move send open list name number part place line page text word question answer good best " +
  "better great nice right wrong easy simple quick fast small big large long short high low old first last next sure lot bit " +
  "kind type example case point problem issue idea plan step stuff going goes went gone done doing made making got getting " +
  "gotten took taken taking gave given giving came coming said saying told thought knew known kept seen saw left back really " +
  "again around away still even always ever maybe actually anything nothing everything anyone everyone anybody somebody " +
  "everybody nobody else down through until already yet once both each few much most other another own same little well today " +
  "tomorrow yesterday now then without whole half two three four five six seven eight nine ten hundred thousand myself yourself " +
  "himself herself itself ourselves themselves mine yours ours theirs whose whatever whether while although though unless " +
  "however didn isn doesn won wouldn couldn haven hasn hadn wasn weren aren shouldn cannot gonna wanna gotta might " +
  "must may shall";

// Said before and after a request, whatever that is about.
const COURTESIES = "yeah okay ok hey hi hello oh sorry thank thanks please";

const COMMON =
  "able address ago allow app apply area arrive available bad base become begin behind believe below between book bring " +
  "business buy card care carry cause center certain chance choose city clean clear close cold color common company compare " +
  "complete computer consider contain content continue control copy correct cost count country couple course cover current " +
  "customer cut date deal decide deep default describe design detail develop device difference different direct document drive " +
  "drop during early easily either email end enough enter entire error especially event every everywhere exact except expect " +
  "explain extra face fact fail fall family far feature feel field figure fill final fine finish follow food force forget form " +
  "format found free friend front full function game general group grow guess guide hand handle happen hard head health hear " +
  "hold home hope hour house human image important improve include information inside instead interest job key late later lead " +
  "learn leave less letter level life light likely limit link live local main man manage many market matter mean meet meeting " +
  "member message method mind minute miss mode money month morning near never night note offer office often option order " +
  "original outside pay perfect person personal phone pick picture piece possible post power prefer prepare present pretty " +
  "price probably process product program proper provide public pull push quality quite rather ready real reason receive record " +
  "regular relate remember remove repeat replace report request require research rest result return review room rule save " +
  "school second section seem select sense separate service several share side sign since single site size social soon sort " +
  "sound space special specific stand standard state stay stop store story strong student study style such suggest support " +
  "suppose system table talk teach team term third together tool top topic total toward travel tree true understand unit usual " +
  "value version view visit wait walk watch water weather website week weekend wish woman wonder world worry worth young became " +
  "began broke broken bought brought built caught chose fell felt forgot grew heard held hit hurt led lost meant met paid ran " +
  "sat sold sent shown spoke spent stood stuck taught threw understood woke wrote written alone along almost anyway across " +
  "ahead above against among anymore exactly simply definitely completely nearly hardly quickly finally recently lately " +
  "sometimes usually perhaps otherwise somewhere whenever forward twice tonight evening moment past kid child mother father boy " +
  "girl guy sit eat drink sleep play win lose throw catch break speak wear wake trouble fun happy tired busy funny weird hot " +
  "warm red green blue black white door car hair eye foot bunch worse worst middle forth round within";

// The function words of other languages, without accents: one skill in German must not own every "der" and "bei".
const ELSEWHERE =
  "der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war hat haben wird werden kann " +
  "konnen soll muss ich du er sie es wir ihr mich dich sich mir dir uns mein meine dein sein von vom zu zum zur mit bei beim " +
  "fur auf aus an am im in uber unter nach vor wie was wer wo wann warum wenn dann dass weil auch noch schon nur sehr bitte " +
  "etwas alle dieser diese dieses helfen machen le la les un une de et ou mais ne pas plus est sont etait ai as avez ont etre " +
  "avoir je tu il elle nous vous ils elles me te se mon ma mes ton ta son sa ses notre votre leur ce cet cette ces qui que quoi " +
  "dont quand comment pourquoi si dans sur sous avec sans pour par en au aux chez tres bien aussi tout tous faire peux peut " +
  "veux voudrais aide aidez s plait el los las uno una unos unas y o pero no mas era esta estan ser estar tener tengo tiene yo " +
  "ella nosotros ellos mi mis su sus nuestro este estos estas eso quien cual cuando como donde porque con sin para por del al " +
  "muy tambien todo todos hacer puedo puede puedes quiero necesito ayuda favor os um uma umas e nao sao eu ele ela nos meu " +
  "minha seu sua isso quem qual quando onde com sem do da dos na nas ao muito tambem fazer pode posso quero preciso ajuda lo " +
  "gli ed non piu sono ho hai ha hanno io lui lei noi voi loro mio mia tuo suo questo questa quello che chi quale come dove " +
  "perche senza per tra fra di della nel nella sul sulla molto anche tutto fare puoi voglio vorrei aiuto het een of maar niet " +
  "geen is zijn heb heeft kan moet ik jij hij zij wij mijn jouw haar dit dat deze wat waar wanneer hoe waarom met zonder voor " +
  "van naar op aan bij uit over ook nog heel doen graag и в во не на я ты он она мы вы они что это как так но а или же бы у к " +
  "по за из от до с со о об для при без мой моя твой наш ваш свой этот эта эти тот который кто где когда почему если то уже ещё " +
  "очень можно нужно надо есть был быть yang dan ke dari untuk dengan ini itu saya kamu dia kita mereka tidak bisa akan ada apa " +
  "siapa mana kapan bagaimana mengapa jika atau juga sudah belum sangat tolong w z nie to jest był jak co kto gdzie kiedy " +
  "dlaczego dla od po przy czy ale lub oraz moj twoj ten";

const FUNCTION_SHARE = 0.35;

/**
 * Ten skills are too few to tell that "form" and "best" say little about what a user wants. By hand: which
 * words are common matters, and hardly by how much.
 */
export const USUAL_SHARES: ReadonlyMap<string, number> = sharesOf([
  [COMMON.split(" "), 0.02],
  [VERY_COMMON.split(" "), 0.08],
  [STOP_WORDS, FUNCTION_SHARE],
  [`${COURTESIES} ${ELSEWHERE}`.split(" "), FUNCTION_SHARE],
]);

/** The same for every other term. */
export const RARE_SHARE = 0.0005;

function sharesOf(rows: readonly (readonly [Iterable<string>, number])[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const [words, share] of rows) for (const word of words) shares.set(stemWord(word), share);
  return shares;
}

/** Whether it is a word that every message has, in some language: how something is said, not what it is about. */
export function isFunctionWord(term: string): boolean {
  return (USUAL_SHARES.get(term) ?? 0) >= FUNCTION_SHARE;
}

/** How much a term says of what a message is about: everyday words nothing, common ones half of what others do. */
export function tellingOf(term: string): number {
  const share = USUAL_SHARES.get(term) ?? RARE_SHARE;
  return share >= 0.08 ? 0 : share >= 0.02 ? 0.5 : 1;
}

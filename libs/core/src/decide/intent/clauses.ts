/** Takes what a person says apart into clauses, and sees of each whether it orders, asks, denies or only wonders. */

export interface Clause {
  /** In lower case, without what it denies. */
  readonly text: string;
  /** As it was said, in lower case: what does not work is denied as well, and is a symptom. */
  readonly whole: string;
  /** `can you …?` is an order; a report says how things are; `words` are neither. */
  readonly kind: 'question' | 'order' | 'report' | 'words';
  /** It plays with a thought (`should we …`, `해야 되나`): nothing is ordered. */
  readonly isWondering: boolean;
}

/** A sentence ends, or another thought begins. */
const SENTENCE = /(?<=[.!?。？！])\s+|\n+|;\s+/;
const ENGLISH_JOIN =
  /,?\s+(?:but|and then|then|so that|because|before (?:we|you|i))\s+|,\s+(?=(?:can you|could you|would you|will you|can we|just|only|no|not|don'?t|do not|please|find|tell|instead)\b)/;
/** Words that end a Korean clause. */
const KOREAN_JOIN =
  /(?<=(?:말고|없고|없이|대신|대신에|빼고|아니라|아니고|지만|는데|은데|인데|한데|건데|근데|그런데|그리고|나서|다음에|전에))\s+/;

const ENGLISH_DENIAL =
  /\b(?:don'?t|do not|doesn'?t need|never|no need (?:to|for)|without|not|no|instead of|rather than|skip|avoid|stop)\b[^,;:—-]*?(?=,|;|:|$|\b(?:but|just|only|instead)\b)/g;
const KOREAN_DENIAL =
  /(?:지\s*(?:마|말)|말고|필요\s*없|안\s*해도|빼고|없이|대신에?|아니라|아니고|아냐|아니야)/;

const ORDER =
  /^(?:and |then |now |also |so |ok(?:ay)?,? |hey,? )?(?:please\b|can you|could you|would you|will you|let'?s|let us|i'?d like|i (?:want|need|would like)|we (?:need|want|should)|help me|you should|it should)|,? please[.!]*$/;
/** A verb in front, as orders begin: `sort the table`, `hook it up`. */
const IMPERATIVE =
  /^(?:just |only |also |now |then |first,? |next,? |and |quickly )?(?!(?:the|a|an|my|our|your|this|that|these|those|some|any|every|all|no|there|it|he|she|they|we|you|i|if|when|while|after|before|since|because|although|something|someone|nothing|everything|only|just)\b)[a-z]+(?: (?:up|out|down|in|on|off|over|through|back|away|into))? (?:the|a|an|my|our|your|this|that|these|those|all|every|each|some|any|it|them|me|us|new|support|for|to|from)\b/;
const KOREAN_ORDER =
  /(?:줘|줘요|주세요|주실래요|줄래|주시|주라|달라|하자|가자|보자|부탁(?:해|드려|드립니다|해요)?|합시다|해라|하세요|(?:[해돌려써봐찾짜고]|아|어)봐|바람|바랍니다|싶어|싶습니다|필요(?:해|합니다|함)|해야\s*(?:해|함|돼|합니다)|할\s*것|시켜|으로|하게|되게|좀)\s*[요.!~]*$/;
const ENGLISH_QUESTION =
  /^(?:so |and |ok |okay |hey |well |quick question: )?(?:where|what|who|whose|which|when|why|how|is|are|was|were|does|do|did|has|have|should|would|will|am|any)\b/;
const KOREAN_QUESTION =
  /(?:어디|누가|누구|뭐|뭘|무엇|무슨|왜|언제|어느|어떤|어떻게|몇).*|(?:까|까요|나요|니|냐|은가|ㄴ가|인가요|이야|거야|있어|있나|되나|였지|이지|죠|가요)\s*\?*$/;
const WONDERING =
  /\b(?:maybe we|might be worth|i wonder|thinking about|shall we|should we (?:also )?(?:just )?(?:refactor|rewrite|migrate|deploy|test|document|commit|redesign))\b|라도\s*해야|해야\s*(?:되나|하나|할까)|할까\s*(?:말까|봐|요|\?|$)|ㅋㅋ|ㅎㅎ/;
/** Somebody tells how things are: a verb in its place, or a Korean ending of one. */
const REPORT =
  /\b(?:is|are|was|were|isn'?t|aren'?t|has|have|gets?|got|keeps?|never|always|i|it|they|we|users?|nobody|can'?t|cannot|won'?t|shows?|says|seems?|looks?|stops?|takes?)\b|(?:요|다|어|음|네|네요|습니다|돼|됨|해|임|함|ㅠ+|ㅜ+)\s*[.!~ㅠㅜ]*$/;

export function clausesOf(said: string): readonly Clause[] {
  return said
    .toLowerCase()
    .replaceAll('’', "'")
    .split(SENTENCE)
    .flatMap((sentence) => sentence.split(ENGLISH_JOIN))
    .flatMap((part) => part.split(KOREAN_JOIN))
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((whole) => ({
      whole,
      text: affirmed(whole),
      kind: kindOf(whole),
      isWondering: WONDERING.test(whole),
    }));
}

function kindOf(whole: string): Clause['kind'] {
  if (ORDER.test(whole) || KOREAN_ORDER.test(whole)) return 'order';
  if (whole.endsWith('?') || ENGLISH_QUESTION.test(whole) || KOREAN_QUESTION.test(whole)) return 'question';
  if (IMPERATIVE.test(whole)) return 'order';
  return REPORT.test(whole) ? 'report' : 'words';
}

/** What is left when the denied part is taken out: behind the word that denies in English, before it in Korean. */
function affirmed(text: string): string {
  const rest = text.replaceAll(ENGLISH_DENIAL, ' ');
  const denial = KOREAN_DENIAL.exec(rest);
  return denial === null ? rest : rest.slice(denial.index + denial[0].length);
}

/** English words that speak for the modes of everyday work. A line is an alternative. */
import { english, vague, type Cue } from './cue.js';

const words = String.raw;

export const ENGLISH_CUES: readonly Cue[] = [
  english(
    'idle',
    'act',
    '5?',
    words`
    hi|hello|hey there|good (?:morning|evening|afternoon)
    thanks?(?: you| a lot)?|thank you|never ?mind|forget (?:it|about it)|that was all|that's all
    what can you do|who are you|how are you|looks (?:good|great)(?: to me)?|(?:good|great|nice) (?:job|work|one)|perfect|great|awesome|cheers|lgtm|(?:that's |that is )?everything i need(?:ed)?|have a (?:nice|good|great) (?:day|evening|weekend|one)|nothing (?:else|more)|all (?:good|set|done) (?:here|for)
    what (?:does|is|are) (?:the |that |this )?(?:\w+ ){0,2}modes?(?: do| for)?
  `,
  ),
  english(
    'context_navigation',
    'question',
    '4.5?',
    words`
    where(?:'s| is| are| do| does| did| can| was)
    which (?:file|function|class|module|line|place|component|method)s?(?! (?:it|this|that|would|will|could|might|do we|does it) )
    who calls|what calls|what depends on|who uses|what uses|how many (?:places|files|times)|is there (?:already )?an?
    (?:can't|cannot|could not) find (?:the|where|any)|entry ?point
    how (?:do|can|would|should) i(?: \w+)?|^how to
  `,
  ),
  english(
    'context_navigation',
    'question',
    '3.4?',
    words`
    how (?:does|do|is|are|did)|what (?:does|do|is|are|did)|what's
    explain|walk me through|describe how|tell me (?:about|how|what)|give me an overview
  `,
  ),
  english(
    'context_navigation',
    'act',
    3,
    words`
    find (?:me )?(?:the |all |every |out where )?(?:function|code|place|class|file|definition|method|usage|caller|call|implementation)s?
    locate|show me (?:where|the|how|all)|look up|trace (?:the )?calls?|search (?:for|the)
  `,
  ),

  english(
    'implementation',
    'act',
    1.7,
    words`
    add|implement|create|build|introduce|support|allow|enable|remove|delete|hide|extend|sort|filter|display
    let (?:users?|people|me|us|them|customers?|admins?)|i want an?|we want an?|need support
  `,
  ),
  vague(
    english(
      'implementation',
      'act',
      1.7,
      words`
      make|write|change|rename|drop|replace|move|set|return|should|integrate|update|convert|raise|increase|reduce|lower|bring|improve
      adjust|turn|hook|wire|connect
    `,
    ),
  ),
  english(
    'implementation',
    'act',
    1.2,
    words`
    implement|feature|endpoint|button
  `,
  ),

  english(
    'debug',
    'act',
    '4?',
    words`
    debug|find out why|what is going on|what's going on|root cause|troubleshoot|what is causing|what causes|what(?:'s| is| went) wrong(?! with (?:it|this|my)\b)|(?:find|figure out|track down) (?:the |its )?(?:cause|reason)|sort (?:it|this|that) out
    why (?:on earth |the hell |is it that )?(?:does|do|is|are|did|was|were|would) .{1,80}?(?<![a-z])(?:sometimes|still|always|keeps?|suddenly|only|never|again|negative|wrong|empty|null|twice|differ\w*)
    fix (?:the |a |this |that |my )?(?:\w+ ){0,3}?(?:bug|crash|error|issue|problem|fault|leak|failure|exception|regression)s?
  `,
  ),
  english(
    'debug',
    'act',
    2.6,
    words`
    fix|repair|mend
  `,
  ),
  english(
    'debug',
    'sign',
    '3.4?',
    words`
    crash(?:es|ed|ing)?|(?:does not|doesn't|do not|don't|did not|no longer|not) work(?:ing)?(?: any ?more)?|stopped working
    broken|breaks (?:when|on|if|after)|fails?(?: to)?|failing|failed|hangs|freezes|throws|stack ?trace|exception|econn\w+|segfault|oom|panics?
    wrong by|(?:is|are|comes out|looks|shows) wrong|at random|logged out|(?:get|getting|got|returns|see|shows?|gives) (?:an? )?(?:\w+ )?[45]\d\d
    can'?t (?:log|open|save|connect|start|click)|cannot (?:log|open|save|connect|start)|undefined|null pointer|\d{3} error|error \d{3}|errors?(?! (?:handling|message|page|code|class|type|boundary))|bugs?
    never (?:stops|ends|loads|finishes|arrives|shows)|is off|one (?:day|hour|cent|pixel) (?:early|late|off)|white screen|blank page|twice
    duplicated? (?:mails?|entries|rows|orders)|nothing happens|is (?:stuck|empty|missing|gone|ignored)|went wrong|disappears?
    (?:won't|does not|doesn't|do not|don't) (?:start|load|open|save|stop|compile|build|show|update|appear|respond|arrive)
  `,
  ),

  english(
    'test',
    'topic',
    3.2,
    words`
    (?:unit |regression |integration |e2e |end-to-end |smoke |property |failing )?tests?(?! (?:server|environment|account|data))
    test (?:suite|case)s?|(?:code )?coverage|(?:the )?(?:whole )?suite|specs
  `,
  ),
  english(
    'test',
    'act',
    '3.6?',
    words`
    (?:re-?)?run (?:the |all |our )?(?:\w+ ){0,2}tests?|run the (?:whole )?suite|tdd|cover (?:\S+ ){1,6}?tests?
    (?:nobody|nothing|no ?one|who) tests|(?:run|running) (?:the |all |our )?specs|write (?:a |an |some |the )?(?:\w+ ){0,2}tests?|add (?:a |an |some )?(?:\w+ ){0,2}tests?
    cover (?:the |all |every |some |its )?(?:edge|corner|error|failure) cases|(?:raise|increase|improve|zero|no|low|poor) (?:test )?coverage
    (?:do|does|are|did) (?:the |all |our )?tests? (?:pass|green|run|still)|(?:run )?(?:jest|pytest|vitest|mocha|playwright|cypress|go test|cargo test|npm test)
  `,
  ),

  english(
    'documentation',
    'topic',
    3.3,
    words`
    readme|docs?|documentation|docstrings?|changelog|release notes|runbook|playbook|how-?to|cheat ?sheet|adr|onboarding (?:page|notes)|comments? (?:for|to|in)|jsdoc|wiki|faq
    (?:user |installation |setup |developer |style )?(?:guide|manual|handbook|tutorial)
  `,
  ),
  english(
    'documentation',
    'act',
    4.4,
    words`
    (?<!(?:openapi|api|html|json|xml|the|a|each|every) )document(?! (?:upload|type|model|store|id|table|viewer))|(?:write|put|note) (?:it|this|that|these|them) down|explain in (?:the|our|its) \w+|jsdoc|docstrings?
    (?:write|add|update|improve|fix|explain (?:\S+ ){1,5}?in|put (?:\S+ ){1,5}?in(?:to)?|section (?:\S+ ){1,4}?to) (?:it )?(?:the |some |a |our )?(?:\w+ )?(?:docs|documentation|readme|wiki|guide|manual|changelog|tutorial)
  `,
  ),

  english(
    'design',
    'act',
    '4?',
    words`
    (?:re-?)?design|architect|propose an? (?:architecture|structure|shape|schema|design)|sketch (?:the|an?)|come up with an? (?:architecture|design)
    how (?:should|would|could) (?:we|i|you) (?:structure|model|organi[sz]e|lay out|shape|design)|how should (?:we|this|it|the \w+) (?!(?:i|be called|be used|be run)\b)\w+
    (?:ways|options|approaches) (?:to|for|of) (?:model|structur|build|split|organi[sz]|design|shap|lay)\w*|should (?:\S+ ){1,6}?(?:live|sit|belong|be owned|go) (?:in|on|at|with|to)|weigh (?:both|the|up|them)
    think (?:about|through) (?:the |an? )?(?:architecture|design|structure|data model)
    (?:data model|schema|architecture|structure|design) (?:\w+ ){0,4}(?:look like|make sense|fit)
  `,
  ),
  english(
    'design',
    'topic',
    2.6,
    words`
    architecture|data model|domain model|schema design|trade-?offs?
  `,
  ),

  english(
    'qa',
    'act',
    '4.2?',
    words`
    (?:code )?review(?:s|ing)?(?! (?:page|form|score|stars|table|model))|(?:take|have|give it) an? (?:\w+ )?look(?! for| up)|look over|(?<!npm |pip-)audit|critique|second pair of eyes|feedback on|reviewer|would you (?:reject|criticise|criticize|object)|(?:nit-?pick|poke holes)|push back on
    what is wrong with (?:it|this|my)|(?:holes|gaps|flaws|mistakes|weak spots|red flags) in (?:it|this|my|the|our)|did i miss|(?:anything|something) i missed|before (?:i|we) merge|(?:any|see any) (?:problems|issues|bugs|concerns) (?:with|in) (?:this|my|the)
    (?:check|look at) (?:my|this|the|our) (?:pr|pull request|diff|patch|changes?|code|commit|implementation)
  `,
  ),

  english(
    'refactor',
    'act',
    4.2,
    words`
    refactor(?:ing|ed)?|clean(?:ing)?(?: \w+){0,3} up|tid(?:y|ying)(?: \w+){0,3} up|tidy|simplif(?:y|ies|ying)|deduplicate|dry up
    extract (?:the|a|an|this)|split (?:this|the|that)(?! (?:epic|work|task|story|feature))|restructure|decouple|untangle|inline the
    (?:get rid of|remove|pull) (?:the )?duplicat\w+|(?:more |better )readab\w+|readability|less nested|(?:is|are) (?:such )?a mess|(?:without changing|keep(?:ing)?|same) (?:the |its |what it )?(?:behaviou?r|does)
    (?:break|split|cut|pull) (?:it|this|that|the \w+|\S+\.\w+) (?:up|apart|into (?:smaller |several |sensible |separate |two |three )*(?:pieces|parts|functions|modules|files|classes))|copy-?past\w+|behaviou?r (?:must|should|has to|needs to|may) (?:stay|remain|not|be kept)|(?:pull|move|merge|fold|collect) .{1,40}? into (?:one|a (?:single|shared|common))|flatten
    rename (?:\w+ ){0,3}(?:variables|functions|methods|parameters|identifiers)|too (?:long|big|nested)
  `,
  ),

  english(
    'multi_file_editing',
    'act',
    4.6,
    words`
    (?:in|across|throughout|to|over|from) (?:every|all|the (?:whole|entire))(?: of)?(?: the| our)? (?:\w+ )?(?:files?|modules?|code ?base|packages?|project|repo(?:sitory)?|services?|components?|pages?)
    everywhere|all call ?sites|all (?:usages|occurrences|uses|callers|references) (?:of|to)|codemod|bulk[- ]?(?:edit|rename|replace)|project-wide|search and replace
    (?:every|each|all) (?:\w+ )?(?:files?|modules?|components?|pages?|services?|controllers?|tests?|packages?) (?:should|must|needs?|has|have) |(?:to|in) (?:all|every|each) (?:\w+ )?(?:files?|modules?|components?|controllers?|handlers?)
    (?:every|all|each) (?:\S+ ){1,3}?(?:in|of) (?:the|this|our) (?:repo(?:sitory)?|project|code ?base)
  `,
  ),

  english(
    'git_workflow',
    'act',
    4.4,
    words`
    commit(?:s|ting)?(?: and push)?(?! (?:hook|history|limit))|push(?! notifications?)|rebase|squash|cherry-?pick|stash|merge (?:it|this|the|into|my|our|main|that)
    (?:open|create|raise|make|submit) (?:a |the |an? new )?(?:pull request|pr|merge request|branch)|create (?:a |the )?(?:\w+ )?branch|tag (?:the|this|a|v)|check ?out (?:the|a) branch
    resolve (?:the )?(?:merge )?conflicts?|git (?:add|commit|push|pull|merge|rebase|tag|branch|history)|amend
  `,
  ),

  english(
    'agent_planning',
    'act',
    4.5,
    words`
    (?:make |write |draw up |give me |need )?(?:a |an |the )?plan(?:s|ning)?(?! (?:b|table|type|tier|page|price|id|limits?))|roadmap|break (?:\w+ ){0,4}down|in (?:which|what) order|which steps|work breakdown
    outline (?:the )?(?:steps|work)|step[- ]by[- ]step|how would you (?:go about|approach|tackle)|lay out (?:the |your )?(?:steps|work|approach)|(?:steps|order) (?:you|we|i)(?:'d| would| will|'ll) (?:take|do|go)|(?:split|break|divide|cut|slice|chop) (?:\w+ ){1,4}(?:up )?into (?:small |smaller )?(?:tickets|tasks|steps|stories|issues|milestones)
  `,
  ),

  english(
    'impact_analysis',
    'act',
    '5.4?',
    words`
    impact(?: analysis)?(?: of)?|what (?:would|will|could|might|does|else) (?:\w+ ){0,2}?break|break (?:anything|if|something)|blast radius|who(?: else)? (?:would |will |might )?(?:notices?|cares?|be affected|be hit)|how far (?:does|do|would|will|could) |(?:would|will|could) (?:it |this |that )?(?:\w+ )?reach|side effects? of|knock-on|ripple
    (?:which|what) (?:\w+ ){0,6}(?:would|will|could) (?:it |this |that |be )?(?:touch|affect|change|affected|touched)|(?:is|are|be|gets?) affected|affected by
    what else (?:do|would|will|must|should) \w+ (?:need to |have to )?(?:change|touch|adapt)|what happens (?:if|when) (?:i|we)
    if (?:i|we) (?:delete|remove|change|rename|drop|move|bump|upgrade) .{0,160}?(?:what|which|who|happens?|breaks?|safe)|(?:is it )?safe to (?:delete|remove|change|rename|drop)
  `,
  ),
];

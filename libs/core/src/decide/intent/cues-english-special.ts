/** English words that speak for the modes of special work. A line is an alternative. */
import { english, type Cue } from './cue.js';

const words = String.raw;

export const ENGLISH_SPECIAL_CUES: readonly Cue[] = [
  english(
    'migration',
    'act',
    4.7,
    words`
    migrat(?:e|ing|ion)(?! (?:script|command|guide|file|tool|table|folder))|upgrade (?:\S+ ){0,4}?from|(?:leav|mov|switch|gett)ing (?:\S+ ){1,3}?(?:for|off|away)|bring (?:the |our |all )?(?:data|rows|records|users) (?:over|across|along)|port (?:\S+ ){1,5}?(?:to|from)|(?:major|framework) upgrade
    (?:move|switch|convert|go|get|take)(?: \S+){0,6}? from \S+(?: \S+)? (?:in|on)?to|(?:convert|switch|move|translate|rewrite)(?: \S+){1,4}? (?:to|in) (?:typescript|es ?modules|esm|kotlin|rust|go|graphql|python ?3|postgres\w*|mysql|react|vue|swift)
    from (?:python|node|java|vue|react|angular|mysql|postgres|oracle|rails|django|php|dotnet|\.net) ?[\d.]* to|upgrade (?:\S+ )?to (?:react|vue|angular|next|node|python|java|rails|django|spring) ?\d+
  `,
  ),

  english(
    'dependency_intelligence',
    'topic',
    '4.4?',
    words`
    dependenc(?:y|ies)(?! injection)|outdated|npm audit|pip-audit|vulnerabilit(?:y|ies)|vulnerable|lock ?file|transitive|package(?:-lock)?\.json|cves?
    licen[cs]es? (?:does|do|of|is|are)|what licen[cs]e|still maintained|node_modules|(?:two|three|several|both|multiple|different|duplicate) versions of \S+(?! (?:api|endpoint|page|doc))|(?:update|bump) (?:all )?packages|(?:npm|pip|cargo|maven) packages?
    (?:bump|upgrade|update|pin|install) [\w@/.-]+ to (?:the )?(?:latest|newest|version|v?\d)|(?:bump|upgrade) [\w@/.-]+(?= to \d)
  `,
  ),

  english(
    'spec_compliance',
    'act',
    '5?',
    words`
    compl(?:y|ies|iant|iance)(?: with)?|conform\w*|against the (?:\w+ )?(?:spec\w*|requirements?|standard|rfc|contract|openapi|schema|document|checklist|policy)|deviations?|gdpr|hipaa|pci(?:-dss)?|soc ?2|iso ?\d{3,}|owasp|rfc ?\d+|wcag|acceptance criteria|according to (?:the )?spec\w*
    (?:go through|check|all|meet\w*|fulfil\w*|satisf\w+|cover) (?:\w+ ){0,3}?requirements?|spec(?:ification)? (?:says|requires)|what was (?:promised|specified)
    (?:match|follow|implement|meet|violate)(?:es|s)? the (?:\w+ )?(?:spec\w*|standard|guideline|requirement|contract)s?|follow (?:the )?(?:wcag|owasp|pep|guidelines)
  `,
  ),

  english(
    'verification',
    'act',
    '4.6?',
    words`
    verif(?:y|ies|ication)|make sure|double-?check|prove|show me that (?:it|this|that|they)|(?:you|we) said .{1,60}? (?:is|was|are|were) (?:gone|fixed|solved|done)|confirm (?:that|whether|if)|does (?:it|this|that|the fix) really|really works?|validate that|is it true that|can be restored
    check (?:that|whether|if)|did (?:that|it|this|the \w+) (?:actually |really )?(?:fix|help|work|solve)|actually (?:works?|fixed|fixes)|sanity check
  `,
  ),

  english(
    'performance_profiling',
    'act',
    '4.6?',
    words`
    profil(?:e the|e this|e our|e it|ing|er)|bottlenecks?|hot ?spots?|memory (?:leak|usage|footprint|consumption)|speed (?:it |this |the \w+ )?up|optimi[sz]e|latency|performance
    (?:too |so |very |really |is |are |gets? |painfully )slow(?:er)?|slow (?:query|queries|page|start|down)|faster|(?:reduce|lower) (?:the )?(?:memory|cpu)
    takes? (?:\d+|too long|forever|minutes|ages|almost)|where (?:all )?(?:the |its )?time (?:goes|is spent|is lost)|(?:from|took) \d[\d.]* ?m?s(?:ec\w*)? to \d|(?:cpu|memory) (?:is|at|goes|usage|keeps|grows)|eats? (?:all )?(?:the )?(?:memory|ram|cpu)|sluggish|lags?
  `,
  ),

  english(
    'ops_infra',
    'act',
    4.4,
    words`
    deploy(?:ing|ment)?(?! (?:script|tab|button|page))|(?:roll|rolling)(?: \S+)? ?(?:back|out)|terraform|kubernetes|k8s|kubectl|helm|ansible|nginx|load balancer|autoscal\w+|ci pipeline|cd pipeline|provision
    (?:staging|production|prod) (?:\w+ )?(?:server|cluster|environment|database|box|compose|config|db)s?|alert(?:ing|s)?(?: for| when| on)|scale (?:\w+ ){1,4}to \d+|cron ?job on|infrastructure|monitoring|on-?call
    restart the (?:server|service|pod)s?|(?:dns|tls|ssl) (?:record|cert\w*)|certificates?|(?:server|cluster|site|prod\w*|staging) is down|rotate (?:the )?(?:keys?|secrets?|logs)|github actions? (?:workflow|pipeline)
  `,
  ),

  english(
    'environment_reproduction',
    'act',
    5,
    words`
    (?:set ?up|create|build|prepare|bootstrap) (?:\w+ ){0,3}?(?:dev\w* )?environment|works on (?:my|his|her|their|\S+'s|one|another|the other) (?:machine|laptop|computer|box|mac|pc)|(?:same|identical) (?:versions?|setup) (?:as|that)|the same setup|reproduce (?:the|our|their|this) (?:\w+ )?(?:environment|setup|ci)|devcontainer|exactly the (?:same )?versions|(?:container|image|vm|machine) (?:with|that has|like) (?:\w+ ){0,4}(?:versions|prod\w*|customer\w*)|same (?:setup|environment) as
    (?:in|on|into) a clean (?:docker )?(?:container|machine|checkout|vm)|get (?:\w+ ){1,4}?(?:to run|running)(?: locally| on| in)?|run (?:it |this |the project )?locally|nix shell|vagrant|just cloned|environment that (?:matches|mirrors)
  `,
  ),

  english(
    'benchmark',
    'act',
    '5?',
    words`
    benchmark(?:s|ing)?|load[- ]test\w*|stress[- ]test\w*|measure (?:the )?(?:throughput|latency|speed|time|how)|compare (?:the )?(?:speed|performance|throughput|latency)|throughput
    how many requests|requests per second|which (?:one )?is faster|is \S+ faster than|measure it|measure (?:\S+ ){0,4}?before|before and after|(?:writes|reads|queries|events|messages|rows|ops) (?:per|a) second|compared (?:with|to) the (?:old|current|other)|p9[59]
  `,
  ),

  english(
    'ml_integration',
    'act',
    5,
    words`
    (?:train|fine-?tune|evaluate) (?:\w+ ){0,3}?(?:model|classifier|network|regressor|detector)|embeddings?(?: model)?|llms?(?:[- ]based)?|(?:machine|deep) learning|classifier|onnx|semantic search|recommender
    (?:language|ml|sentiment|recommendation|recommender|ranking|vision|speech|whisper) model|inference (?:server|endpoint)|fine-?tun\w+|pytorch|tensorflow|hugging ?face|rag pipeline|text-to-speech|speech-to-text|with (?:gpt|claude|an? llm)
  `,
  ),

  english(
    'exploratory_research',
    'act',
    '4.8?',
    words`
    research(?:ing)?|investigate (?:whether|if|which|options|how)|(?:what are the |compare |explore |look for )alternatives?|alternatives? to|explore (?:the )?(?:options|ways|possibilities|whether)|pros and cons
    which (?:\w+ ){1,4}?(?:fits|should (?:we|i) (?:use|choose|pick|take)|would you (?:use|pick|recommend)|is best)|spike on|do a spike|proof of concept|feasib\w+|state of the art|survey (?:the|of)
    what'?s the best (?:way|library|tool|approach)|what is the best (?:way|library|tool)|should (?:we|i) (?:use|go with|pick|choose|switch)|look into|find out (?:if|whether)|how (?:do )?others|(?:people|others|teams|companies|everyone) (?:\w+ )?(?:use|using|do|doing|choose|prefer)s?(?= )|these days|nowadays|compare (?!(?:the )?(?:speed|performance|throughput|latency))\S+ (?:and|with|to|vs) 
  `,
  ),
];

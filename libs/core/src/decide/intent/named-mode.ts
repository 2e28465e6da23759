/** An order that names a mode as such: `switch to debug mode`, `"리팩토링" 모드로 가자`. A question about a mode is none. */

const NAMES: Readonly<Record<string, readonly string[]>> = {
  context_navigation: ['navigation', 'search', '탐색', '검색', '코드 탐색'],
  implementation: ['implementation', 'coding', '구현', '개발', '코딩'],
  debug: ['debug', 'debugging', '디버그', '디버깅'],
  test: ['test', 'testing', '테스트'],
  documentation: ['documentation', 'docs', '문서', '문서화'],
  design: ['design', '설계', '디자인'],
  qa: ['qa', 'review', '리뷰', '검토'],
  refactor: ['refactor', 'refactoring', '리팩토링', '리팩터링'],
  multi_file_editing: ['multi-file editing', 'multi file editing', 'bulk edit', '일괄 수정', '일괄 편집'],
  git_workflow: ['git', 'git workflow', '깃', '커밋'],
  agent_planning: ['planning', 'plan', '계획', '플랜'],
  impact_analysis: ['impact analysis', 'impact', '영향 분석', '영향도 분석'],
  migration: ['migration', '마이그레이션'],
  dependency_intelligence: ['dependency', 'dependency intelligence', '의존성'],
  spec_compliance: ['spec compliance', 'compliance', '명세 준수', '스펙 검사'],
  verification: ['verification', '검증'],
  performance_profiling: ['profiling', 'performance profiling', 'performance', '프로파일링', '성능'],
  ops_infra: ['ops', 'infra', 'ops infra', '운영', '인프라'],
  environment_reproduction: ['environment reproduction', 'environment', '환경 재현', '환경'],
  benchmark: ['benchmark', '벤치마크'],
  ml_integration: ['ml', 'ml integration', '머신러닝'],
  exploratory_research: ['research', 'exploratory research', '조사', '리서치', '연구'],
  idle: ['idle', '대기'],
};

const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([mode, names]) =>
    [mode.replaceAll('_', ' '), mode, ...names].map((name) => [name, mode] as const),
  ),
);
const ENGLISH =
  /(?:^|\b(?:please|can you|could you|now|then|let's)\s+)(?:switch|change|go|move|get|enter|start|use)(?: over| back)?(?: in)?(?:to| with)?\s+(?:the\s+)?["'“‘`]?([a-z_][a-z_ -]{1,30}?)["'”’`]?\s+mode\b/iu;
const KOREAN =
  /(?:^|[\s.!,])["'“‘`]?([가-힣a-z_]+(?: [가-힣]+)?)["'”’`]?\s*모드(?:로|를|으로)?\s*(?:좀\s*)?(?:가자|가\s*(?:줘|주세요)|바꿔|바꾸자|전환|변경|넘어가|시작|켜|들어가|해\s*(?:줘|주세요)?(?=$|[\s.!~])|하자)/iu;

export function namedMode(text: string): { readonly mode: string; readonly words: string } | null {
  const found = ENGLISH.exec(text) ?? KOREAN.exec(text);
  const mode = BY_NAME.get(found?.[1]?.toLowerCase().trim() ?? '');
  return mode === undefined || found === null ? null : { mode, words: found[0].trim() };
}

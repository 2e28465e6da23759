/** How far the estimates are from the counts of a real tokenizer, by what a text is written in. */
import { countTokens } from '@anthropic-ai/tokenizer';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { estimateTokens, MOST_TOKENS_PER_UNIT } from './estimate.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8').slice(0, 12_000);

const KOREAN = `작업이 며칠 동안 계속되면 문맥이 모델의 창을 넘어서게 됩니다. 그래서 게이지는 토큰이 얼마나 남았는지 언제나 보여 주어야 하고,
오래된 도구 출력은 먼저 가려집니다. 사용자는 무엇이 언제 요약되었는지 볼 수 있습니다. 결제 서비스의 주문 취소 로직을 고쳐 주세요. 테스트가 실패하면
원인을 먼저 설명하고 수정하세요. 어제 회의에서 정한 대로 배포는 금요일 오후에 하고, 그 전까지는 모든 변경을 검토받아야 합니다. 데이터베이스
마이그레이션이 끝나지 않으면 서버가 시작되지 않으니 순서를 꼭 지켜 주십시오.`;
const JAPANESE =
  '長い会話では、モデルの文脈の窓があふれてしまうことがあります。そのため、ツールの古い出力を先に隠し、それから要約します。';
const CHINESE = '长时间运行的任务会超出模型的上下文窗口。因此，旧的工具输出会先被隐藏，然后再进行总结。';
const RUSSIAN =
  'Длинные разговоры не помещаются в окно модели. Поэтому старые результаты инструментов сначала скрываются.';
const LISTING = Array.from(
  { length: 80 },
  (_, n) =>
    `-rw-r--r-- 1 root root ${(n * 7_919) % 10_007} Nov ${(n % 28) + 1} 08:${10 + (n % 50)} file-${n}.spec.ts`,
).join('\n');

/** Part by which an estimate of a text like this may be off, either way. */
const TEXTS: readonly (readonly [kind: string, text: string, bound: number])[] = [
  ['English prose', read('../../../../CONTRIBUTING.md'), 0.1],
  ['English in Markdown', read('../../../../docs/architecture.md'), 0.1],
  ['TypeScript', read('../turn/run-state.ts'), 0.1],
  ['SQL', read('../../../store/src/steps/commit-step.sql'), 0.15],
  ['JSON with spaces', read('../../../../package.json'), 0.15],
  ['JSON without', JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8'))), 0.15],
  ['Korean', KOREAN, 0.1],
  ['Korean with code', `${KOREAN}\n\n${read('../turn/call.ts')}\n\n${KOREAN}`, 0.1],
  ['Japanese', JAPANESE, 0.2],
  ['Chinese', CHINESE, 0.2],
  ['Russian', RUSSIAN, 0.2],
  ['a listing of files', LISTING, 0.15],
  ['a table', '| rule 12 | must not be empty | yes |\n'.repeat(40), 0.2],
];

describe('an estimate', () => {
  it.each(TEXTS)('of %s is near the count of a tokenizer', (_, text, bound) => {
    const counted = countTokens(text);
    expect(Math.abs(estimateTokens(text) / counted - 1)).toBeLessThanOrEqual(bound);
  });

  it('of a mixture is not further off than its parts', () => {
    const mixed = TEXTS.map(([, text]) => text).join('\n\n');
    expect(Math.abs(estimateTokens(mixed) / countTokens(mixed) - 1)).toBeLessThanOrEqual(0.1);
  });

  it('of Korean is nearer than one by characters, several times over', () => {
    const counted = countTokens(KOREAN);
    const byCharacters = Math.abs(KOREAN.length / 4 / counted - 1);
    expect(Math.abs(estimateTokens(KOREAN) / counted - 1)).toBeLessThan(byCharacters / 5);
  });

  it.each([...'aZ7.~ \t\n한漢かナéжא゙☃€', '😀', 'ab', '=='])(
    'of %j is never above what it may be at most',
    (text) => {
      for (const times of [1, 2, 7, 300])
        expect(estimateTokens(text.repeat(times))).toBeLessThanOrEqual(
          Math.ceil(text.length * times * MOST_TOKENS_PER_UNIT),
        );
    },
  );
});

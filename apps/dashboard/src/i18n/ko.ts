/** 한국어. 문장은 해요체, 단추와 상태는 명사. */
import type { Texts } from './keys.js';

export const ko: Texts = {
  'nav.main': '주 메뉴',
  'nav.tasks': '작업',

  'live.on': '실시간',
  'live.again': '다시 연결하는 중',
  'live.seenAt': '표시 기준 시각: {time}',

  'missing.title': '없는 페이지예요',
  'missing.toTasks': '작업 목록으로',
  'broken.title': '표시하지 못했어요',
  'broken.details': '자세히',
  'action.tryAgain': '다시 시도',

  'state.queued': '대기 중',
  'state.running': '실행 중',
  'state.waiting': '기다리는 중',
  'state.paused': '일시 정지됨',
  'state.completed': '완료',
  'state.failed': '실패',
  'state.cancelled': '취소됨',
  'wait.children': '하위 작업 대기',
  'wait.approval': '승인 필요',
  'wait.answer': '답변 필요',
  'wait.message': '메시지 대기',
  'wait.backoff': '나중에 재시도',
  'wait.budget': '예산 필요',
  'wait.provider': '모델 제공자 대기',

  'cost.notPriced': '가격 정보 없음',
  'cost.partly': '가격 정보 없는 호출 {n}건',

  'tasks.task': '작업',
  'tasks.state': '상태',
  'tasks.agent': '에이전트',
  'tasks.cost': '비용',
  'tasks.time': '시간',
  'tasks.changed': '변경',
  'tasks.more': '이전 작업',
  'tasks.none': '에이전트에게 일을 맡겨 보세요',
  'tasks.noneHow': '몇 분이든 며칠이든 워커가 끝까지 진행해요. 이 페이지를 닫아도 모든 기록은 저장돼요.',
};

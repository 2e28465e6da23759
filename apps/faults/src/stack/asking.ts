/** Steps that need people, and how people are going to treat what is asked: written into the plan, so that everybody knows it. */
import type { InteractionView } from '@bullpen/contracts';
import type { ToolCall } from '@bullpen/model-sim';

export type Treatment =
  /** Says yes; to a question: answers it. */
  | 'approve'
  /** Says yes to something else: other arguments, other steps. */
  | 'edit'
  /** Says no, and why. */
  | 'deny'
  /** Two people at the same time, of different minds. */
  | 'race'
  /** Says yes, then once more with the same key, then no. */
  | 'repeat'
  /** Leaves before the answer is confirmed, and sends it again with the same key. */
  | 'hang_up'
  /** Answers something that is not asked, then what is. */
  | 'stale'
  /** Answers when it has expired. */
  | 'late'
  /** Answers while somebody cancels the task. */
  | 'cancel'
  /** Says yes to a folder that is another one by then. */
  | 'turn';

export type AskingStep =
  /** One command for each treatment, all in one turn; each appends a token of its own to the effects file. */
  | { readonly do: 'gated'; readonly people: readonly Treatment[]; readonly cwd?: string }
  | { readonly do: 'ask'; readonly people: readonly [Treatment] }
  | { readonly do: 'present'; readonly people: readonly [Treatment] };

/** What edited arguments leave instead of the token. */
export const EDITED = '!';

const SECONDS = 0.2;
const TOKEN = /[\w.]+\/\d+\.\d+/;
const COMMAND = /printf '%s\\n' '([^']+)' >>/;

/** Whether a step of a plan waits for a person. */
export function asks(step: { readonly do: string }): step is AskingStep {
  return step.do === 'gated' || step.do === 'ask' || step.do === 'present';
}

/** The calls of such a step, each with a token that names the place of its treatment. */
export function callsThatAsk(step: AskingStep, key: string, at: number, effectsFile: string): ToolCall[] {
  return step.people.map((_, index): ToolCall => {
    const token = `${key}/${at}.${index}`;
    switch (step.do) {
      case 'gated': {
        const command = `sleep ${SECONDS}; printf '%s\\n' '${token}' >> '${effectsFile}'`;
        return {
          name: 'run_command',
          input: { command, ...(step.cwd !== undefined && { cwd: step.cwd }) },
        };
      }
      case 'ask': {
        const options = [{ label: 'left' }, { label: 'right' }];
        return { name: 'ask_user', input: { question: `${token}: which way?`, options } };
      }
      case 'present':
        return {
          name: 'present_plan',
          input: { plan: `The plan ${token}`, steps: [`${token} first`, 'second'] },
        };
    }
  });
}

/** The token in what is asked. */
export function tokenAsked({ payload }: Pick<InteractionView, 'payload'>): string {
  const text = payload['command'] ?? payload['question'] ?? payload['plan'];
  const token = typeof text === 'string' ? TOKEN.exec(text)?.[0] : undefined;
  if (token === undefined) throw new Error(`Nobody knows what is asked: ${JSON.stringify(payload)}`);
  return token;
}

/** The token that a gated command leaves; null for other commands. */
export function tokenOfCommand(command: string): string | null {
  return COMMAND.exec(command)?.[1] ?? null;
}

/** The same command with another token. */
export function edited(command: string): string {
  const token = tokenOfCommand(command);
  return token === null ? command : command.replace(`'${token}'`, `'${token}${EDITED}'`);
}

/** Where in its plan a token comes from. */
export function placeOf(token: string): {
  readonly key: string;
  readonly at: number;
  readonly index: number;
} {
  const [key = '', rest = ''] = token.split('/');
  const [at, index] = rest.split('.').map(Number);
  return { key, at: at ?? 0, index: index ?? 0 };
}

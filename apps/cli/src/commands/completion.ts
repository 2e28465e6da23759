/** `bullpen completion`: shell completion of commands and options, made from the commands themselves. */
import { Argument, type Command } from 'commander';
import { type Context } from '../context.js';
import { withExamples } from '../help.js';

/** Words that can follow each command, by its full name; `''` is the program itself. */
type Words = ReadonlyMap<string, readonly string[]>;

export function registerCompletion(program: Command, { io }: Context): void {
  const command = program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .action((shell: string) => io.out(completionScript(wordsOf(program), shell === 'zsh')));
  withExamples(command, [['source <(bullpen completion bash)', 'in ~/.bashrc']]);
}

function wordsOf(program: Command): Words {
  const words = new Map<string, string[]>();
  const visit = (command: Command, name: string): void => {
    const visible = command.commands.filter((each) => each.name() !== 'help');
    const options = [...command.options, ...program.options].map(
      (option) => option.long ?? option.short ?? '',
    );
    words.set(name, [...visible.map((each) => each.name()), ...new Set(options)]);
    for (const each of visible) visit(each, `${name} ${each.name()}`.trim());
  };
  visit(program, '');
  return words;
}

function completionScript(words: Words, isZsh: boolean): string {
  const groups = [...words.keys()].flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : []));
  const cases = [...words].map(([name, list]) => `    "${name}") words="${list.join(' ')}" ;;`);
  return [
    ...(isZsh ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_bullpen() {',
    '  local word path="" words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) case "$path" in "") path="$word" ;; GROUPS) path="$path $word" ;; esac ;; esac'.replace(
      'GROUPS',
      [...new Set(groups)].join('|'),
    ),
    '  done',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _bullpen bullpen',
  ].join('\n');
}

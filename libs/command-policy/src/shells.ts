/** Programs that run a script: from their words, from their input, or from a file. The script is judged like the line itself. */
import type { CallPlace, Input } from './judge-call.js';
import type { LineState, PartRecord } from './line-state.js';
import { baseName, isDecoder, isDownloader, isInterpreter, isShell } from './program-name.js';
import { finding, type Finding } from './rules.js';
import { fixedSource } from './source.js';
import { scriptSource } from './script-source.js';
import type { Arg } from './words.js';

export interface ShellCall {
  readonly program: string;
  readonly args: readonly Arg[];
  readonly part: PartRecord;
  readonly state: LineState;
  readonly place: CallPlace;
}

const NO_INPUT: Input = { text: null, upstream: [] };

/** Judges the scripts that a call runs; returns whether the program is one that runs scripts and nothing else. */
export function judgeShell(call: ShellCall): boolean {
  const { program, args, part, place } = call;
  const runsWords =
    isShell(program) || /^(eval|source|\.|exec|trap|xargs|parallel|watch|su|ssh|env)$/.test(program);
  if (runsWords || isInterpreter(program) || part.args[0]?.kind !== 'literal')
    part.findings.push(...hiddenScript(call));
  if (isShell(program)) {
    judgeShellWords(call);
    return true;
  }
  switch (program) {
    case 'eval':
      part.findings.push(
        finding('program.runs_code', 'eval reads its words again, as a script.', place.span),
      );
      judgeJoined(call, args);
      return true;
    case '.':
    case 'source':
      part.findings.push(
        finding('program.runs_script', 'It runs whatever the file holds, in this shell.', place.span),
      );
      return true;
    case 'trap':
      part.findings.push(finding('program.runs_code', 'trap runs its script later.', place.span));
      judgeJoined(call, args.slice(0, 1));
      return true;
    case 'watch':
    case 'entr':
      part.findings.push(
        finding('program.runs_code', `${program} runs its words as a script, again and again.`, place.span),
      );
      judgeJoined(
        call,
        args.filter(({ value }) => !/^-/.test(value) && !/^\d+(\.\d+)?$/.test(value)),
      );
      return true;
    case 'su':
    case 'script':
    case 'flock':
    case 'runuser':
    case 'screen':
    case 'tmux': {
      const at = args.findIndex(({ value }) => /^(-\w*c|--command|--session-command)$/.test(value));
      if (at >= 0) judgeJoined(call, args.slice(at + 1, at + 2));
      return false;
    }
    case 'ssh':
      judgeJoined(call, args.slice(args.findIndex(({ value }, at) => at > 0 && !value.startsWith('-'))));
      return false;
    default:
      return isInterpreterOnInput(call);
  }
}

function judgeJoined({ place }: ShellCall, words: readonly Arg[]): void {
  const [first] = words;
  if (first === undefined) return;
  const text = words.map(({ value }) => value).join(' ');
  const source = words.length === 1 ? scriptSource(first, place.source) : fixedSource(text, place.span);
  place.judgeText(source, NO_INPUT);
}

/** `bash -c 'script'`, `bash file`, or `bash` with the script on its input. */
function judgeShellWords(call: ShellCall): void {
  const { args, part, place, program } = call;
  const at = args.findIndex(({ value }) => /^-[A-Za-z]*c[A-Za-z]*$/.test(value));
  const flags = at < 0 ? args.filter(({ value }) => /^[-+]/.test(value)) : args.slice(0, at + 1);
  const odd = flags.find(({ value }) => !/^-[euc]+$/.test(value));
  if (odd !== undefined)
    part.findings.push(
      finding('wrapper.flags', `${odd.span.text} changes what ${program} does first.`, odd.span),
    );
  if (!/^(sh|bash|dash)$/.test(program))
    part.findings.push(
      finding('program.runs_code', `${program} has its own way of reading scripts.`, place.span),
    );
  if (at >= 0) {
    const script = args[at + 1];
    if (script === undefined)
      part.findings.push(finding('wrapper.flags', 'The script is missing.', place.span));
    else {
      if (script.kind !== 'literal' && script.trouble === null)
        part.findings.push(finding('subset.expansion', 'The script is not known.', script.span));
      place.judgeText(scriptSource(script, place.source), place.input);
    }
    return;
  }
  const file = args.find(({ value }) => !/^[-+]./.test(value) && value !== '-' && value !== '/dev/stdin');
  if (file !== undefined) {
    part.findings.push(finding('program.runs_script', `${file.span.text} can hold any commands.`, file.span));
    return;
  }
  part.findings.push(
    finding('dangerous.stdin_run', `${program} runs whatever comes from its input.`, place.span),
  );
  if (place.input.text !== null) place.judgeText(fixedSource(place.input.text, place.span), NO_INPUT);
}

function isInterpreterOnInput({ program, args, part, place }: ShellCall): boolean {
  if (!isInterpreter(program)) return false;
  const file = args.find(({ value }) => !value.startsWith('-') && value !== '/dev/stdin');
  if (file === undefined && (place.input.upstream.length > 0 || place.input.text !== null)) {
    part.findings.push(
      finding('dangerous.stdin_run', `${program} runs whatever comes from its input.`, place.span),
    );
  }
  return false;
}

/** A script that is fetched or decoded on the spot and that nobody has seen. */
export function hiddenScript(call: ShellCall): Finding[] {
  const { program, place } = call;
  const fromWords = place.substituted;
  const readsInput = readsScript(call);
  const sources = [...fromWords, ...(readsInput ? place.input.upstream : [])];
  const name = part(call);
  const fetched = sources.find(({ args }) => args[0] !== undefined && isDownloader(baseName(args[0].value)));
  if (fetched !== undefined) {
    return [finding('dangerous.download_run', `${name} runs what ${fetched.span.text} fetches.`, place.span)];
  }
  const decoded = sources.find(
    ({ args }) =>
      args[0] !== undefined &&
      isDecoder(
        baseName(args[0].value),
        args.map(({ value }) => value),
      ),
  );
  if (decoded === undefined) return [];
  return [
    finding(
      'dangerous.decoded_run',
      `${name} runs what ${decoded.span.text} decodes.`,
      program === '' ? decoded.span : place.span,
    ),
  ];
}

function part(call: ShellCall): string {
  return call.part.args[0]?.kind === 'literal' ? call.program : 'The line';
}

/** Whether what comes by the input is run: no script and no file is given, or the words are made of the input. */
function readsScript({ program, args }: ShellCall): boolean {
  const values = args.map(({ value }) => value);
  if (program === 'xargs' || program === 'parallel') {
    const inner = values.findIndex((value) => isShell(baseName(value)) || isInterpreter(baseName(value)));
    return inner >= 0 || (program === 'parallel' && values.every((value) => value.startsWith('-')));
  }
  if (values.includes('/dev/stdin') || values.includes('/proc/self/fd/0') || values.includes('/dev/fd/0'))
    return true;
  if (!isShell(program) && !isInterpreter(program)) return false;
  if (values.some((value) => /^-[a-z]*s$/.test(value) && isShell(program)) || values.includes('-'))
    return true;
  if (values.some((value) => /^-[a-zA-Z]*[ce]$/.test(value))) return false;
  return !values.some((value) => !value.startsWith('-'));
}

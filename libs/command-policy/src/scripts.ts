/** Shells and interpreters: the script in their words, in a file, or on their input. */
import { NO_INPUT, type Call } from './call.js';
import { isKnownWrapper } from './known-program.js';
import type { PartRecord } from './line-state.js';
import { baseName, isDecoder, isDownloader, isInterpreter, isShell } from './program-name.js';
import { finding, type Finding } from './rules.js';
import { fixedSource, scriptSource } from './source.js';
import type { Arg } from './arg.js';

type ScriptPlace =
  { readonly kind: 'word'; readonly script: Arg } | { readonly kind: 'file' | 'input' | 'code' };

const STANDARD_INPUT = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

/** Whether the program may run code that stands in its words, in a file or on its input. */
export function runsScripts(program: string): boolean {
  return isShell(program) || isInterpreter(program) || /^(\.|source)$/.test(program);
}

/** Where the script of a call is. */
function scriptPlace(program: string, args: readonly Arg[]): ScriptPlace {
  const flag = isShell(program)
    ? /^-[A-Za-z]*c[A-Za-z]*$/
    : /^(-[a-zA-Z]*[cepErR]|--eval|--print|-m|--version|-V|-v|--test|--check|eval)$/;
  const at = args.findIndex(({ value }) => flag.test(value));
  // `bash <(command)` reads what the command prints.
  const isFile = ({ value, span }: Arg): boolean =>
    !/^[-+]./.test(value) && !STANDARD_INPUT.test(value) && !span.text.startsWith('<(');
  const file = args.findIndex(isFile);
  const script = args[at + 1];
  if (at >= 0 && !isShell(program)) return { kind: 'code' };
  if (at >= 0 && (file < 0 || file > at) && script !== undefined) return { kind: 'word', script };
  const readsInput = isShell(program) && args.some(({ value }) => /^-[a-z]*s$/.test(value));
  return { kind: file >= 0 && !readsInput ? 'file' : 'input' };
}

/** `bash -c 'script'`, `bash file`, `bash` with the script on its input. Returns whether the script is all that it does. */
export function judgeScript(call: Call): boolean {
  const { program, args, part, span, source, input, judgeText } = call;
  const place = scriptPlace(program, args);
  if (place.kind === 'word') {
    const { script } = place;
    if (script.kind !== 'literal')
      part.findings.push(finding('program.unclear', 'It is not clear which script runs.', script.span));
    judgeText(scriptSource(script, source), input);
    const isPlain = args.slice(0, args.indexOf(script)).every(({ value }) => /^-[euc]+$/.test(value));
    return isPlain && /^(sh|bash|dash)$/.test(program) && isKnownWrapper(call);
  }
  if (place.kind === 'code') return false;
  part.findings.push(finding('program.runs_code', `${program} runs what nobody has judged.`, span));
  if (place.kind === 'input') judgeInput(call);
  return false;
}

function judgeInput({ program, part, span, input, substituted, judgeText }: Call): void {
  const upstream = input.upstream.length > 0 ? input.upstream : substituted;
  const text = input.text ?? outputOf(upstream);
  if (text !== null && !isInterpreter(program)) judgeText(fixedSource(text, span), NO_INPUT);
  // A file that is printed into a shell is as well known as one that it is given.
  const isFile = upstream.every(({ program: from, args }) => from === 'cat' && args.length > 1);
  if (text === null && !isFile)
    part.findings.push(
      finding('dangerous.stdin_run', `${program} runs whatever comes from its input.`, span),
    );
}

/** What a command alone prints, when that can be read off the line. */
export function outputOf(stage: readonly PartRecord[]): string | null {
  const [only] = stage;
  if (stage.length !== 1 || only === undefined) return null;
  const { program, args, input } = only;
  if (program === 'cat' && args.length === 1) return input;
  if (program !== 'echo' && program !== 'printf') return null;
  const words = args.slice(1).map(({ value }) => value);
  return words
    .filter((word) => !/^-[neE]+$/.test(word))
    .join(' ')
    .replaceAll('\\n', '\n');
}

/** A script that is fetched or decoded on the spot and that nobody has seen. */
export function hiddenScript({ program, args, name, span, input, substituted }: Call): Finding[] {
  const isScript = runsScripts(program);
  const runsWords =
    isScript || /^(eval|trap|env|xargs|parallel|watch|su|ssh)$/.test(program) || name.kind !== 'literal';
  const isStarter =
    /^(xargs|parallel|sudo|env|doas)$/.test(program) &&
    args.some(({ value }) => runsScripts(baseName(value)));
  const runsInput = isStarter || (isScript && scriptPlace(program, args).kind === 'input');
  const sources = [...(runsWords ? substituted : []), ...(runsInput ? input.upstream : [])];
  for (const { program: from, args: words, span: at } of sources) {
    if (from !== null && isDownloader(from))
      return [finding('dangerous.download_run', `It runs what ${at.text} fetches.`, span)];
    const texts = words.map(({ value }) => value);
    if (from !== null && isDecoder(from, texts))
      return [finding('dangerous.decoded_run', `It runs what ${at.text} decodes.`, span)];
  }
  return [];
}

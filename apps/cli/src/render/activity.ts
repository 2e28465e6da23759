/** What a task does, in words on one line that is safe to print. Pure. */
import type { Activity } from '@bullpen/client';
import { wholeWords } from './flowing-text.js';
import { oneLine } from './plain-text.js';
import { takenOverText } from './takeover.js';
import { toolLine } from './tool-line.js';

/** More columns without a space are no word that is still to come. */
const LONGEST_WORD = 40;

export function activityText(activity: Activity): string {
  switch (activity.kind) {
    case 'nothing':
      return '';
    case 'said':
      return lastLine(activity.whole ? activity.text : wholeWords(activity.text, LONGEST_WORD));
    case 'calling':
      return `${oneLine(activity.tool)} …`;
    case 'runs':
      return toolLine(activity.tool, activity.arguments);
    case 'taken_over':
      return takenOverText(activity.found);
    case 'retrying':
      return `the model failed (${oneLine(activity.errorClass)}), trying again`;
    case 'provider':
      return `waits for the provider (${oneLine(activity.errorClass)})`;
    case 'pausing':
      return 'pauses after its current step';
    case 'interrupted':
      return 'interrupted';
    case 'failing':
      return oneLine(activity.message);
  }
}

function lastLine(text: string): string {
  return oneLine(text.trimEnd().split('\n').at(-1) ?? '');
}

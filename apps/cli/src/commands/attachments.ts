/** `--attach`: files of this machine that go with a task. */
import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { BullpenClient } from '@bullpen/client';
import { MAX_MEDIA_BYTES, type ContextItem, type CreateTaskInput } from '@bullpen/contracts';
import type { Context } from '../context.js';
import { bareReasonOf, CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';

export interface AttachFlags {
  readonly attach?: readonly string[];
}

/** A file, and its text when it is one. */
export interface AttachedFile {
  readonly name: string;
  readonly content: Buffer;
  readonly text: string | null;
}

/** The files that are named. Throws with exit code 2 for what cannot be sent, before anything is. */
export function attachedFiles(context: Context, { attach = [] }: AttachFlags): readonly AttachedFile[] {
  return attach.map((path) => {
    const content = contentOf(resolve(context.cwd, path), path);
    return { name: basename(path), content, text: textOf(content) };
  });
}

/** The task with its files: texts go along as they are, pictures and PDFs are kept by the gateway first. */
export async function withAttachments(
  { attachments }: Pick<BullpenClient, 'attachments'>,
  body: CreateTaskInput,
  files: readonly AttachedFile[],
): Promise<CreateTaskInput> {
  if (files.length === 0) return body;
  const items: ContextItem[] = [];
  for (const { name, content, text } of files) {
    if (text !== null) items.push({ kind: 'text', text, title: name });
    else {
      const { sha256 } = await attachments.create({ data: content.toString('base64') });
      items.push({ kind: 'attachment', sha256, name });
    }
  }
  return { ...body, contextItems: [...(body.contextItems ?? []), ...items] };
}

function contentOf(path: string, given: string): Buffer {
  const refuse = (why: string, cause?: unknown) =>
    new CliError(EXIT.usage, `--attach: ${given} ${why}`, [], { cause });
  try {
    const { size } = statSync(path);
    if (size > MAX_MEDIA_BYTES)
      throw refuse(`has ${size} bytes, and at most ${MAX_MEDIA_BYTES} can be attached`);
    const content = readFileSync(path);
    if (content.length === 0) throw refuse('is empty');
    return content;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw refuse(`cannot be read: ${bareReasonOf(error)}`, error);
  }
}

/** Null for what is no text. A PDF may look like one. */
function textOf(content: Buffer): string | null {
  if (content.includes(0) || content.subarray(0, 5).toString('latin1') === '%PDF-') return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null; // Thrown for exactly one reason: it is not UTF-8.
  }
}

/** Ids in paths. What has not even the form of an id is answered like an id that does not exist, and never reaches SQL. */
import { InboxId, TaskId } from '@bullpen/contracts';
import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from './problem.js';

@Injectable()
export class TaskIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (TaskId.safeParse(value).success) return value;
    throw notFound('task', value);
  }
}

@Injectable()
export class InboxIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (InboxId.safeParse(value).success) return value;
    throw notFound('message', value);
  }
}

@Injectable()
export class CallIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (/^[a-z]{1,20}_[0-9a-z]{26}$/.test(value)) return value;
    throw notFound('tool call', value);
  }
}

/** New ids: a prefix that says what it is, and a UUIDv7, so that ids sort by time of creation. */
import type { IdPrefix } from '@bullpen/contracts';
import { typeid } from 'typeid-js';

/** A fresh id such as `task_01k6r8v0g9f3h8t7m2n4p6q8rs`. Sorts by time to the millisecond; unique across machines. */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

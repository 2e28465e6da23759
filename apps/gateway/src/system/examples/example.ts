/** What an example of an operation consists of, and the world that all examples speak of. */

export interface OperationExample {
  /** Parameters of path and query by their names. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** Whoever sends it as it is must not come to harm: it allows no agent anything, and reaches nobody outside. */
  readonly body?: object;
  /** What the first status of success answers. Text for a stream. */
  readonly answer: object | string;
}

export const TASK_ID = 'task_01kb3v8r9hg43zj6vcj3wa678j';
export const SUBTASK_ID = 'task_01kb3v8r9hnpbd97eexp3sma9r';
export const FORK_ID = 'task_01kb3v8r9hj2k6m8p0q4r6s8t1';
export const INTERACTION_ID = 'ask_01kb3v8r9hn1frzsvz28k7hjpx';
export const INBOX_ID = 'inbox_01kb3v8r9hc8b44gt18wsp4ey9';
export const MESSAGE_ID = 'msg_01kb3v8r9hyhmhm0bdxk4p6749';
export const CALL_ID = 'call_01kb3v8r9ht7vg64k5311gfp09';
export const MODEL_CALL_ID = 'mcall_01kb3v8r9h6nfa05rvaakhnv8e';
export const WEBHOOK_ID = 'webhook_01kb3v8r9h13ypzp8arcgrjw6d';
export const DELIVERY_ID = 'delivery_01kb3v8r9hpn1msx8bz4ak7fqy';
export const PROCESS_ID = 'proc_01kb3v8r9hm2c8x4dv0nq6s1tz';
export const CHECKPOINT_ID = 'ckpt_01kb3v8r9hq7w2e5rt9ym4n6p8';
export const RESTORE_ID = 'restore_01kb3v8r9hd0w4s7mfx2ca6ne3';
export const OTHER_CHECKPOINT_ID = 'ckpt_01kb3v8r9hs1w4e7rt0ym5n8p2';
export const VIEW_ID = 'view_01kb3v8r9hq2m4n6p8r0t2v4x6';
export const KEY_ID = 'key_01kb3v8r9hz1y3x5w7v9t0s2r4';
export const BULK_ID = 'bulk_01kb3v8r9h5g7j9k1m3n5p7q9s';
export const SHARE_ID = 'share_01kb3v8r9hd4f6g8h0j2k4m6n8';
export const WORKER_ID = 'worker_01kb3v8r9hy5226aqts3mwd8dk';

/** A time on the morning of all examples. */
export const at = (time: string): string => `2026-11-28T${time}.000Z`;

/** A page that has no other after it. */
export const onlyPage = <T>(item: T): { data: T[]; nextCursor: null; hasMore: false } => ({
  data: [item],
  nextCursor: null,
  hasMore: false,
});

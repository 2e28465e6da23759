/** Fires after `ms`, whoever holds it, and does not keep the process alive. */
export function timeoutSignal(ms: number): AbortSignal {
  // Not AbortSignal.timeout: on Node 20 one that is only part of an AbortSignal.any is collected as garbage and never fires.
  const controller = new AbortController();
  const why = new DOMException(`${ms} ms are over`, 'TimeoutError');
  setTimeout(() => controller.abort(why), ms).unref();
  return controller.signal;
}

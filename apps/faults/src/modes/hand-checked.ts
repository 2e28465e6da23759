/**
 * Functions of the three small repositories in `fixtures/calls`, with all that call them and all that they call: written down by reading
 * the code, so that the index is compared with what a careful reader finds and never with itself.
 *
 * As a reader counts: making an object calls its class, and the constructor that the class writes; what is passed around and called
 * somewhere else is called there; a method of an interface stands for those of all types that have it.
 */

export interface HandChecked {
  /** The folder of its repository. */
  readonly repository: 'typescript' | 'python' | 'go';
  /** As one asks the index for it. */
  readonly symbol: string;
  readonly callers: readonly string[];
  readonly callees: readonly string[];
}

function checked(
  repository: HandChecked['repository'],
  symbol: string,
  callers: string,
  callees: string,
): HandChecked {
  const names = (text: string) => text.split(' ').filter((name) => name !== '');
  return { repository, symbol, callers: names(callers), callees: names(callees) };
}

/** Twenty of them: the function, its callers, its callees. */
export const HAND_CHECKED: readonly HandChecked[] = [
  // Passed on as a default under another name, through an alias of tsconfig; it also calls itself.
  checked('typescript', 'open', 'open run', 'MemoryOutbox CountingOutbox CountingOutbox.constructor open'),
  checked('typescript', 'backoff', 'retryAt Transport.send', 'jitter'),
  checked('typescript', 'postponed', 'Courier.handOver', 'retryAt'),
  checked(
    'typescript',
    'Transport.send',
    'SmtpTransport.send Courier.handOver',
    'Transport.deliver SmtpTransport.deliver NullTransport.deliver wait backoff',
  ),
  checked('typescript', 'MemoryOutbox.save', 'CountingOutbox.save Courier.save', ''),
  // Calls a method of its own name on a field.
  checked(
    'typescript',
    'Courier.save',
    'Courier.handOver',
    'OutboxStore.save MemoryOutbox.save CountingOutbox.save',
  ),
  checked('typescript', 'SmtpTransport.connect', 'SmtpTransport.deliver SmtpTransport.send', 'wait'),

  checked('python', 'Money.parse', 'main', 'to_minor Money'),
  checked('python', 'Money.plus', 'Order.total', 'check_currency Money'),
  checked('python', 'Line.total', 'Order.total', 'Money.times'),
  // Another function of this name is inside of its caller.
  checked('python', 'shop/stock.py:reserve', 'place.reserve', 'available _change'),
  checked(
    'python',
    'place',
    'main',
    'Order Order.__init__ place.reserve reserve charge Order.total Order.cancel Receipts.write',
  ),
  checked('python', 'Gateway.check', 'Gateway.charge Sandbox.check', 'Declined'),
  checked('python', 'digits_of', 'to_minor show', ''),

  checked('go', 'Queue.put', 'Queue.Push Queue.Retry', 'Store.Put Memory.Put'),
  checked('go', 'Memory.Take', 'Queue.Pop', 'Log.Note'),
  // The call of its field is of whatever it was given, which no reader of this function knows.
  checked('go', 'Worker.try', 'Worker.Run', 'Worker.giveBack'),
  checked('go', 'Queue.Retry', 'Worker.giveBack', 'Clock.Now SystemClock.Now FixedClock.Now delay Queue.put'),
  checked('go', 'open', 'main', 'NewMemory'),
  checked('go', 'FixedClock.Now', 'Queue.Push Queue.Retry', ''),
];

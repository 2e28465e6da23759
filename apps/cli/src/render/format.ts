/** Numbers, times and money as people read them: the same words as in the dashboard. */
export { age, ago, bytes, count, duration, promptTokens, soon, tokens, usd } from '@bullpen/client';
export { nounFor, plural } from '@bullpen/contracts';

/** The part of the client that few screens need, in a file of its own so that it can be loaded late. */
export { secondPartOf as restOf } from '@bullpen/client';

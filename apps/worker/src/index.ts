/** A worker in this process, for tests and for programs that embed one. */
export { startWorker, type RunningWorker, type WorkerOptions } from './compose.js';

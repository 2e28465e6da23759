/** Why a process could not start, for the person whose turn it is now. */
import { AppError, systemProblem } from '@bullpen/contracts/errors';

/** Plain words, with what to do, for what is known; the stack for what is a fault of ours. */
export function failureText(error: unknown): string {
  if (error instanceof AppError) return error.message;
  const system = systemProblem(error);
  if (system !== null) return `${system.message}\n${system.advice}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Judges command lines: what may run without asking. */
export {};

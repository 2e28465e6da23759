/** Entry of the bench. */
export {};

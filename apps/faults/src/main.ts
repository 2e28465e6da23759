/** Entry of the fault suite. */
export {};

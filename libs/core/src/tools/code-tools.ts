/** Names of the tools that ask the code index, in the order in which they are offered. Their code is an adapter's. */
export const CODE_TOOL_NAMES = ['search_code', 'find_symbols', 'trace_calls', 'trace_dependencies'] as const;

/** The code index: symbols, calls and imports of a workspace, in several languages. */
export { CodeIndexes } from './index/code-indexes.js';
export { dependencyText, symbolText, traceText, whichText } from './query/render.js';
export { statsOf, type IndexStats } from './query/stats.js';
export { findSymbols, meantBy } from './query/symbols.js';
export { traceCallees, traceCallers, traceDependencies } from './query/trace.js';
export { codeTools } from './tools.js';

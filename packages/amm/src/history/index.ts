export { boundNote } from './read-rpc-history.ts'
export { createBarMemory } from './bars/bar-chunks.ts'
export { createPoolHistory } from './create-pool-history.ts'

export { boundNote } from './read-rpc-history.ts'
export { createBarMemory } from './bars/create-bar-memory.ts'
export { createPoolHistory } from './create-pool-history.ts'

export { createCircuitBreaker } from '../safety/circuit-breaker.ts'
export { pause, readPause, resume } from '../safety/kill-switch.ts'

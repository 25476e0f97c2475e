// What `svc status` says of a server, and the operator page shows.
export { type HeldPositions, readHeldPositions } from './held-positions.ts'
export type { LastWrite } from './last-writes.ts'
export { budgetTexts, type OperatorStatus, readOperatorStatus, undecided } from './read-status.ts'

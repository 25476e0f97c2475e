// What `svc status` says of a server, and the operator page shows.
export { type HeldPositions, readHeldPositions } from './operator/held-positions.ts'
export type { LastWrite } from './operator/last-writes.ts'
export { budgetTexts, type OperatorStatus, readOperatorStatus, undecided } from './operator/read-status.ts'

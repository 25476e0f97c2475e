// What `svc status` says of a server, and the operator page shows.
export {
  type HeldPositions,
  readHeldPositions,
  type LastWrite,
  budgetTexts,
  type OperatorStatus,
  readOperatorStatus,
  undecided,
} from './read-status.ts'

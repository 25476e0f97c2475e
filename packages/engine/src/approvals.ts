export { describeOperation, type OperationDescription } from './approvals/describe-operation.ts'
export {
  allowanceEnd,
  allowanceText,
  amountText,
  dollars,
  groupDigits,
  meaningOf,
  nothingArrivesText,
  operationFacts,
  operationText,
  shortAmountText,
  stateText,
  timeLeft,
  tradePriceText,
  valuesText,
  worthText,
} from './approvals/operation-text.ts'
export { readStoredPlan } from './operations/operations.ts'

export { describeOperation } from './describe-operation.ts'
export type { OperationDescription } from './describe-operation.ts'
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
  timeLeft,
  tradePriceText,
  valuesText,
  worthText,
} from './operation-text.ts'
export { readStoredPlan } from './stored-plan.ts'

export { describeOperation } from './describe-operation.ts'
export type { OperationDescription } from './describe-operation.ts'
export {
  amountText,
  dollars,
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

export { describeOperation } from './describe-operation.ts'
export type { OperationDescription } from './describe-operation.ts'
export {
  amountText,
  dollars,
  nothingArrivesText,
  operationFacts,
  operationText,
  shortAmountText,
  valuesText,
  worthText,
} from './operation-text.ts'
export { readStoredPlan } from './stored-plan.ts'
export { timeLeft } from './time-left.ts'
export { tradePriceText } from './trade-price.ts'

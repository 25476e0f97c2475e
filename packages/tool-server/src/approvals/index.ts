export { describeOperation } from './describe-operation.ts'
export type { OperationDescription } from './describe-operation.ts'
export { amountText, dollars, operationFacts, operationText } from './operation-text.ts'
export { timeLeft } from './time-left.ts'

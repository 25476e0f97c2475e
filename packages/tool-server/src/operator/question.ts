import {
  allowanceText,
  dollars,
  nothingArrivesText,
  type OperationDescription,
  shortAmountText,
  tradePriceText,
} from '@svc/engine/approvals'

/** What the browser asks before a plan is approved: what is approved, as plain lines that the card says as well. */
export function questionText(operation: OperationDescription): string {
  const price = tradePriceText(operation)
  return [
    `Approve this? ${operation.why}`,
    '',
    `Leaves at most: ${amountsText(operation.leavesAtMost, 'up') || 'nothing'}`,
    `Arrives at least: ${amountsText(operation.arrivesAtLeast, 'down') || nothingArrivesText(operation)}`,
    ...operation.allows.map((allowance) => `Allows: ${allowanceText(allowance)}`),
    ...(price === null ? [] : [`Price: ${price}`]),
    ...operation.deposits.flatMap((one) => [
      `Goes into: ${one.into}`,
      `Range: ${one.range}`,
      `Price when planned: ${one.price}`,
    ]),
    `Counts as: ${dollars(operation.spendUsd)} USD of the limits`,
    `On ${operation.chain}, asked by ${operation.askedBy}`,
    ...operation.warnings.map((warning) => `Note: ${warning}`),
  ].join('\n')
}

function amountsText(list: OperationDescription['leavesAtMost'], rounding: 'up' | 'down'): string {
  return list.map((amount) => shortAmountText(amount, rounding)).join(' and ')
}

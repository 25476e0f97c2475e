import type { ApprovalQuestion } from '../operations/operations.ts'
import { printable } from '@svc/runtime'
import { describeDeposit, type DescribedDeposit } from './describe-deposit.ts'
import { describeAmount, type DescribedAmount, gasAtMostText } from './describe-operation.ts'
import { amountText, gasText, groupDigits, nothingArrivesText, valuesText, worthText } from './operation-text.ts'
import { timeLeft } from './time-left.ts'

/** What a person at the client is asked, short enough for a dialogue, in our own words. `now` in Unix milliseconds. */
export function approvalMessage(
  { operationId, planHash, tool, expiresAt, plan, spendUsd, othersWaiting }: ApprovalQuestion,
  now: number,
): string {
  const amounts = (list: typeof plan.deltas) => list.map(describeAmount).map(amountWithWorth).join(' and ')
  const { spendsAtMost, receivesAtLeast } = plan.bounds
  const gas = gasText({ ...plan, gasCostAtMost: gasAtMostText(plan) })
  return [
    `Approve this? ${printable(plan.why, 400)}`,
    '',
    `Leaves the wallet at most: ${amounts(spendsAtMost) || 'nothing'}`,
    `Arrives at least: ${amounts(receivesAtLeast) || nothingArrivesText({ simulated: plan.deltas, deposits: plan.deposits })}`,
    ...plan.deposits.map(describeDeposit).map(depositLine),
    ...(plan.values === null ? [] : [`Worth: ${valuesText(plan.values)}`]),
    ...plan.warnings.map((warning) => `Note: ${printable(warning, 400)}`),
    `Counts as ${groupDigits(spendUsd)} USD of the spending limits; gas ${gas}`,
    `Transactions: ${plan.steps.map(({ label, contract, to }) => `${printable(label)} (${contract === null ? '' : `${printable(contract)} `}${to})`).join(', ')}`,
    '',
    `Asked for by ${printable(tool)}, operation ${printable(operationId)}, plan ${planHash}`,
    ...(othersWaiting === 0 ? [] : [`Besides this, ${othersWaiting} more of the same caller await a decision.`]),
    ...(expiresAt === null ? [] : [`Without an answer this ends in ${timeLeft(expiresAt, now)}.`]),
  ].join('\n')
}

/** For example "Goes into: a new position in the v3 pool WETH/USDC at 0.3 %; range 2,700 to 3,300 USDC per WETH; ...". */
function depositLine({ into, range, price, split, pool }: DescribedDeposit): string {
  return `Goes into: ${into}; range ${range}; price ${price}; value ${split}; pool ${pool}`
}

/** For example "16,954.87 USDC (16,954.87 USD, token 0x8335...)". */
function amountWithWorth(amount: DescribedAmount): string {
  return `${amountText(amount)} (${amount.usd === null ? 'no price known' : worthText(amount.usd)}, token ${amount.token})`
}

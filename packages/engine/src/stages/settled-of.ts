import { getAddress, type TransactionReceipt, zeroAddress } from 'viem'
import type { Settled, SettledTransaction, TokenQuantity } from '@svc/amm'
import { logsByCall } from '../batch/batch-step.ts'
import type { Progress } from '../context/execution-context.ts'
import { outsideWarnings } from '../operations/plan-shown.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { gasCostOf } from '../spending/gas.ts'
import { costWarnings } from '../value/call-value.ts'
import { usdOf } from '../value/spend-value.ts'
import { suspectWarnings, unlistedWarnings } from '../verdict/call-tokens.ts'
import type { Reserved } from './reserve-spend.ts'

/** What the caller hears of a call that was carried out: its transactions, what they moved, their gas, and what is worth a warning. */
export function settledOf(
  context: Reserved,
  progress: Progress,
  deltas: ReadonlyMap<string, bigint>,
  revokes: readonly TransactionReceipt[],
): Settled {
  const { mined } = progress
  const gasCostWei = gasCostOf([...mined.map(({ receipt }) => receipt), ...revokes])
  const gasCostUsd = usdOf(zeroAddress, gasCostWei, context.priced)
  const carried = mined.map(({ step, receipt }) => transactionOf(step.label, receipt))
  const main = carried.at(-1)
  if (main === undefined) throw new TypeError('A run without a transaction cannot be settled')
  const transactions = [...carried, ...revokes.map((receipt) => transactionOf('take back an allowance', receipt))]
  const quantities: readonly TokenQuantity[] = [...deltas]
    .filter(([, amount]) => amount !== 0n)
    .map(([token, amount]) => ({ token: getAddress(token), amount }))
  const safetyChecks = {
    tokenAllowlistPassed: context.tokenAllowlistPassed,
    spendingLimitPassed: context.spend.refusals.length === 0,
    simulationPassed: true,
  }
  const ofCost = costWarnings(context, gasCostUsd, deltas)
  const ofTokens = [...suspectWarnings(context), ...context.value.warnings, ...unlistedWarnings(context)]
  return {
    transactions,
    main,
    calls: mined.flatMap((one) => callsIn(context, one)),
    deltas: quantities,
    gasCostWei,
    gasCostUsd,
    gasOfBatch: gasIn(progress.valid.simulation),
    safetyChecks,
    priceImpactBps: context.value.priceImpactBps,
    warnings: [...outsideWarnings(context.intent.deposits ?? []), ...ofTokens, ...ofCost],
  }
}

/** The calls of the intent that a transaction has made, each with the logs that are its own. */
function callsIn({ wallet }: Reserved, { step, receipt }: Progress['mined'][number]): readonly SettledTransaction[] {
  if (step.batch === undefined) return step.kind === 'call' ? [transactionOf(step.label, receipt)] : []
  const { calls } = step.batch
  const logs = logsByCall(wallet, step.batch, receipt.logs)
  return calls.flatMap(({ kind, label }, index) =>
    kind === 'call' ? [{ ...transactionOf(label, receipt), logs: logs[index] ?? [] }] : [],
  )
}

function gasIn({ gasUsed, apart }: Simulation): Settled['gasOfBatch'] {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, gas) => total + gas, 0n)
  return apart === undefined ? null : { together: sum(gasUsed), apart: sum(apart) }
}

function transactionOf(label: string, receipt: TransactionReceipt): Settled['main'] {
  const { transactionHash: hash, blockNumber, logs, gasUsed } = receipt
  return { label, hash, blockNumber, logs, gasUsed }
}

import { formatAmount } from '@svc/lp-math'
import type { Operation, OperationState } from '@svc/store'
import { chains } from '@svc/wallet'
import { printable } from '../dispatch/printable.ts'
import { readStoredPlan, type StoredPlan } from './stored-plan.ts'

/**
 * What a person is told before deciding on an operation, in plain terms and ready to show: who asks, what for, what leaves
 * at most, what arrives at least, what would be called. Text that others wrote (token symbols, arguments) is escaped and
 * capped. Throws when the row is damaged.
 */
export function describeOperation(operation: Operation): OperationDescription {
  const plan = readStoredPlan(operation.plan)
  const chain = chains.find(({ id }) => id === operation.chainId)
  return {
    id: operation.id,
    state: operation.state,
    tool: printable(operation.tool),
    caller: printable(operation.principalId, 128),
    why: printable(plan.why, 400),
    chain: chain === undefined ? `chain ${operation.chainId}` : `${chain.name} (chain ${chain.id})`,
    steps: plan.steps.map(describeStep),
    leavesAtMost: plan.bounds.spendsAtMost.map(describeAmount),
    arrivesAtLeast: plan.bounds.receivesAtLeast.map(describeAmount),
    simulated: plan.deltas.map(describeAmount),
    spendUsd: formatAmount(operation.spendUsdMicros, 6),
    gasCostUsd: plan.gasCostUsd,
    conditions: plan.policy.conditions.map(({ message }) => printable(message, 400)),
    planHash: operation.planHash,
    createdAt: operation.createdAt,
    expiresAt: operation.expiresAt,
    executeAfter: operation.executeAfter,
    decidedBy: operation.decidedBy === null ? null : printable(operation.decidedBy, 128),
    decidedAt: operation.decidedAt,
  }
}

export type OperationDescription = {
  readonly id: string
  readonly state: OperationState
  readonly tool: string
  /** The principal that asked. */
  readonly caller: string
  readonly why: string
  readonly chain: string
  readonly steps: readonly DescribedStep[]
  readonly leavesAtMost: readonly DescribedAmount[]
  readonly arrivesAtLeast: readonly DescribedAmount[]
  /** What the simulation moved; negative when it left. */
  readonly simulated: readonly DescribedAmount[]
  /** Decimal US dollars that count against the limits. */
  readonly spendUsd: string
  /** Of the simulation; `null` when there was no price. */
  readonly gasCostUsd: number | null
  /** Why somebody is asked, and what else comes first. */
  readonly conditions: readonly string[]
  readonly planHash: string
  /** Unix milliseconds, as the other times. */
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly executeAfter: number | null
  readonly decidedBy: string | null
  readonly decidedAt: number | null
}

export type DescribedAmount = { readonly amount: string; readonly symbol: string; readonly token: string }

export type DescribedStep = {
  readonly label: string
  readonly contract: string
  readonly to: string
  /** Native currency that goes with it; `null` for none. */
  readonly value: string | null
  readonly calls: readonly {
    readonly function: string
    readonly arguments: readonly { readonly name: string; readonly value: string }[]
  }[]
}

function describeAmount({ amount, symbol, token }: StoredPlan['deltas'][number]): DescribedAmount {
  return { amount: printable(amount, 100), symbol: printable(symbol, 24), token: printable(token) }
}

function describeStep({ label, contract, to, valueWei, calls }: StoredPlan['steps'][number]): DescribedStep {
  return {
    label: printable(label),
    contract: printable(contract ?? 'a contract without a name here'),
    to: printable(to),
    value: valueWei === '0' ? null : formatAmount(BigInt(valueWei), 18),
    calls: calls.map((call) => ({
      function: printable(call.function),
      arguments: Object.entries(call.arguments).map(([name, value]) => ({
        name: printable(name),
        value: printable(value, 400),
      })),
    })),
  }
}

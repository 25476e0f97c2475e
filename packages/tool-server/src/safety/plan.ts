import { formatAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import { getAddress, size, slice, zeroAddress } from 'viem'
import type { Plan, PlannedAmount, PlannedStep, TokenQuantity } from '../intent.ts'
import { describeCalldata } from './describe-calldata.ts'
import { expectedGasCost } from './gas.ts'
import type { Refusal } from './refusal.ts'
import type { Reserved } from './reserve-spend.ts'
import { simulationHash } from './simulation-hash.ts'
import { usdOf } from './spend-value.ts'
import { usdText } from './spend-limit.ts'
import type { Step } from './step.ts'
import { tripHash } from './trip-hash.ts'

/** What a write would do: its transactions decoded, their simulated effect, and everything the policy has to say of it. */
export function planOf(road: Reserved, terms: PlanTerms): Plan {
  const { chain, wallet, intent, steps, simulation, priced, spend, surveyed } = road
  const { refusals, conditions } = terms
  const gasUsed = simulation.gasUsed.reduce((sum, gas) => sum + gas, 0n)
  return {
    planId: terms.planId,
    planHash: tripHash(road),
    simulationHash: simulationHash({
      chainId: chain.id,
      wallet,
      block: simulation.blockNumber,
      atSeconds: surveyed.atSeconds,
      steps,
      deltas: simulation.deltas,
    }),
    expiresAt: terms.expiresAt === null ? null : new Date(terms.expiresAt).toISOString(),
    why: intent.why,
    steps: steps.map((step) => describeStep(step, chain)),
    atomicity: intent.atomicity,
    deltas: [...simulation.deltas]
      .filter(([, amount]) => amount !== 0n)
      .map(([token, amount]) => describeAmount({ token: getAddress(token), amount }, road)),
    bounds: {
      spendsAtMost: intent.spends.map((spent) => describeAmount(spent, road)),
      receivesAtLeast: intent.receives.map((received) => describeAmount(received, road)),
    },
    spendUsd: usdText(spend.amountUsdMicros),
    gasEstimate: `${gasUsed}`,
    gasCostUsd: usdOf(zeroAddress, expectedGasCost(simulation.gasUsed, surveyed.fees), priced),
    policy: {
      allowed: refusals.length === 0,
      verdict: verdictOf(refusals, conditions),
      checks: {
        tokenAllowlistPassed: road.tokenAllowlistPassed,
        spendingLimitPassed: spend.refusals.length === 0,
        simulationPassed: !refusals.some(({ code }) => code === 'UNSAFE_TRANSACTION'),
      },
      refusals: refusals.map(({ code, message }) => ({ code, message })),
      conditions: conditions.map(({ code, message }) => ({ code, message })),
    },
    blockNumber: `${simulation.blockNumber}`,
  }
}

export type PlanTerms = {
  readonly planId: string
  /** Unix milliseconds. */
  readonly expiresAt: number | null
  readonly refusals: readonly Refusal[]
  readonly conditions: readonly Refusal[]
}

function verdictOf(refusals: readonly Refusal[], conditions: readonly Refusal[]): string {
  const [first] = refusals
  if (first !== undefined) return `execute_plan would refuse this plan as things stand. ${first.message}`
  if (conditions.length === 0) return 'execute_plan carries this plan out.'
  return `execute_plan does not sign at once. ${conditions.map(({ message }) => message).join(' ')}`
}

function describeStep({ label, to, valueWei, data }: Step, chain: Chain): PlannedStep {
  const selector = size(data) < 4 ? '0x' : slice(data, 0, 4)
  return { label, to, valueWei: `${valueWei}`, selector, ...describeCalldata(chain, { to, data }) }
}

function describeAmount({ token, amount }: TokenQuantity, { priced }: Reserved): PlannedAmount {
  const entry = priced.get(token.toLowerCase())
  return {
    token: getAddress(token),
    symbol: entry?.token.symbol ?? 'unknown',
    // Only declared tokens are looked up; what else moves is shown in its smallest units.
    amount: entry === undefined ? `${amount}` : formatAmount(amount, entry.token.decimals),
    usd: usdOf(token, amount, priced),
  }
}

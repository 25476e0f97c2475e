import { formatAmount } from '@svc/lp-math'
import { type Address, getAddress, type Hash, keccak256, size, slice, toHex, zeroAddress } from 'viem'
import type { Deferred, Intent } from '../intent.ts'
import { expectedGasCost } from './gas.ts'
import type { Refusal } from './refusal.ts'
import type { Reserved } from './reserve-spend.ts'
import { usdOf } from './spend-value.ts'
import { usdText } from './spend-limit.ts'

/** What a dry run answers: the transactions, what they would do, and everything the policy has against them. */
export function planOf(road: Reserved, refusals: readonly Refusal[]): Deferred {
  const { intent, wallet, steps, simulation, priced, spend, surveyed } = road
  const gasUsed = simulation.gasUsed.reduce((sum, gas) => sum + gas, 0n)
  return {
    status: 'planned',
    plan: {
      planHash: planHash(intent, wallet),
      steps: steps.map(({ label, to, valueWei, data }) => ({
        label,
        to,
        valueWei: `${valueWei}`,
        selector: size(data) < 4 ? '0x' : slice(data, 0, 4),
      })),
      atomicity: intent.atomicity,
      deltas: [...simulation.deltas]
        .filter(([, amount]) => amount !== 0n)
        .map(([token, amount]) => describeDelta(token, amount, road)),
      spendUsd: usdText(spend.amountUsdMicros),
      gasEstimate: `${gasUsed}`,
      gasCostUsd: usdOf(zeroAddress, expectedGasCost(simulation.gasUsed, surveyed.fees), priced),
      policy: {
        allowed: refusals.length === 0,
        checks: {
          tokenAllowlistPassed: road.tokenAllowlistPassed,
          spendingLimitPassed: spend.refusals.length === 0,
          simulationPassed: !refusals.some(({ code }) => code === 'UNSAFE_TRANSACTION'),
        },
        refusals: refusals.map(({ code, message }) => ({ code, message })),
      },
      blockNumber: `${simulation.blockNumber}`,
    },
  }
}

/** Names an intent of a wallet: equal intents have equal hashes. */
export function planHash(intent: Intent, wallet: Address): Hash {
  const text = JSON.stringify({ wallet, intent }, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return keccak256(toHex(text))
}

function describeDelta(token: string, amount: bigint, { priced }: Reserved) {
  const entry = priced.get(token)
  return {
    token: getAddress(token),
    symbol: entry?.token.symbol ?? 'unknown',
    // Only declared tokens are looked up; what else moves is shown in its smallest units.
    amount: entry === undefined ? `${amount}` : formatAmount(amount, entry.token.decimals),
    usd: usdOf(token, amount, priced),
  }
}

import type { Policy } from '../policy/policy.ts'
import { formatAmount } from '@svc/lp-math'
import { dailyValueCaps, limitsOf } from './budget-names.ts'

/**
 * The most that any 24 hours cost under a policy by what is signed, all callers together, as decimal US dollars. A person's yes lifts
 * none of it. What no budget counts is not in it: the market, a listed token that turns, prices that somebody pushes, orders over time,
 * what leaves past the server (docs/policy.md, "What you can lose at most").
 */
export function mostLost(policy: Policy): MostLost {
  const { loss: trades } = dailyValueCaps(policy)
  const { dailyGas: gas, perTransaction } = limitsOf(policy)
  const homeGas = homeGasBudgets * gas
  return {
    trades: formatAmount(trades, 6),
    gas: formatAmount(gas, 6),
    homeGas: formatAmount(homeGas, 6),
    total: formatAmount(trades + gas + homeGas, 6),
    lastHomeGas: formatAmount(perTransaction, 6),
  }
}

export type MostLost = {
  /** Value, in trades and deposits that are worse than trusted prices. */
  readonly trades: string
  /** Gas of everything but what brings funds home. */
  readonly gas: string
  /** Gas of what brings funds home, where what came did not repay it: three budgets of the size of `gas`. */
  readonly homeGas: string
  /** The three together. */
  readonly total: string
  /** The call that uses up one of the last two of those budgets may burn more: a twentieth of what it was to bring home, and no more than this. */
  readonly lastHomeGas: string
}

/** For example `200 USD (40 in trades worse than trusted prices, 40 of gas, 120 of gas of bringing funds home)`. */
export function mostLostText({ total, trades, gas, homeGas }: MostLost): string {
  return `${total} USD (${trades} in trades worse than trusted prices, ${gas} of gas, ${homeGas} of gas of bringing funds home)`
}

/** For what asks nothing of what comes home, for what was to repay its gas and has not, and the same of what no stranger can make fail. */
const homeGasBudgets = 3n

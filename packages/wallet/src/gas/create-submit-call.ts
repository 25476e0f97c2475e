import type { GasOptions } from '../agent/registration/registration.ts'
import { WalletError } from '../wallet-error.ts'
import type { Journal } from '../journal.ts'
import { isNeverMined } from '../sender/entry-state.ts'
import { fundAndPay } from './fund-and-pay.ts'
import type { GasContext, GasDesk } from './gas-desk.ts'
import type { Submission, SubmitCall, SubmittableCall } from './submission.ts'
import { trySponsored } from './try-sponsored.ts'

/**
 * Makes the way of one call to the chain, by who pays its gas: a paymaster, what the wallet holds, the faucet, a person.
 * What was signed under the request before is gone on with first, and nothing else is signed while it may still take
 * effect. Throws `VALIDATION_CONFIG_INVALID` for tiers that do not go together.
 */
export function createSubmitCall(context: GasContext): SubmitCall {
  requireTiers(context.options.gas)
  return async (call) => {
    const desk: GasDesk = { ...context, attempts: [], warnings: [] }
    const submission = await resolveGas(desk, call)
    return { ...submission, attempts: desk.attempts, warnings: desk.warnings }
  }
}

async function resolveGas(desk: GasDesk, call: SubmittableCall): Promise<Resolved> {
  desk.progress('resolve-gas', 'Finding out who pays the gas.')
  const mayBeMined = await isUndecided(desk.journal, call.requestId)
  const sponsored = mayBeMined ? null : await trySponsored(desk, call)
  return sponsored ?? (await fundAndPay(desk, call))
}

type Resolved = Submission extends infer Each
  ? Each extends Submission
    ? Omit<Each, 'attempts' | 'warnings'>
    : never
  : never

/** Whether the journal holds a transaction of the request that may be in a block, now or later. */
async function isUndecided(journal: Journal, requestId: string): Promise<boolean> {
  return (await journal.byRequest(requestId)).some((entry) => !isNeverMined(entry))
}

/** Throws `VALIDATION_CONFIG_INVALID` for a tier by which money comes that the wallet is not to spend. */
function requireTiers({ tiers = ['wallet'] }: GasOptions = {}): void {
  const funded = tiers.find((tier) => tier === 'faucet' || tier === 'manual')
  if (funded === undefined || tiers.includes('wallet')) return
  throw new WalletError('VALIDATION_CONFIG_INVALID', `gas.tiers is not valid: "${funded}" needs "wallet" beside it.`, {
    suggestion: `What comes by "${funded}" the wallet spends: add "wallet", or leave "${funded}" out.`,
  })
}

import type { Chain, JournalEntry } from '@svc/wallet'
import { type Address, isAddressEqual, parseTransaction, type TransactionReceipt } from 'viem'
import { erc20Abi } from '../adapters/liquidity/abis/erc20.ts'
import { revokeStep } from './approval-steps.ts'
import { apart } from './apart.ts'
import { dearGas } from './dear-gas.ts'
import type { Engine, Trip } from './engine.ts'
import { isPaused } from './kill-switch.ts'
import type { OwedAllowance } from './owed-allowances.ts'
import { throwFirst } from './refusal.ts'
import { priceTokens } from './spend-value.ts'
import { onStorage } from './storage.ts'
import { survey } from './survey.ts'
import { isAnyRefused } from './take-back.ts'
import { broadcast, confirm, sign } from './transact.ts'

/**
 * Sets what earlier requests left of their allowances to zero, and answers how many it set. One that cannot be read or
 * taken back stays owed and keeps neither the others nor a write. Throws `STORAGE_UNAVAILABLE`.
 */
export async function takeBackOwed(trip: Trip): Promise<number> {
  const { engine, chain, wallet } = trip
  const owed = await owedOn(engine, chain, wallet)
  if (owed.length === 0 || (await isPaused(engine.dataDir))) return 0
  // Bytes that were declined may be an approval and be mined all the same: until that is settled nothing is forgotten.
  const mayForget = !(await onStorage('the journal cannot be read', () => isAnyRefused(trip)))
  let tookBack = 0
  for (const one of owed) {
    const of = { chainId: chain.id, token: one.token, spender: one.spender }
    await apart(engine, 'allowances.owed', of, async () => {
      if ((await allowanceOf(trip, one)) !== 0n) {
        await revoke(trip, one)
        tookBack += 1
      }
      if (mayForget) await onStorage('the owed allowances cannot be written', () => engine.owed.remove([one]))
    })
  }
  return tookBack
}

/** What a wallet still owes on a chain. */
export async function owedOn({ owed }: Engine, chain: Chain, wallet: Address): Promise<readonly OwedAllowance[]> {
  const list = await onStorage('the owed allowances cannot be read', () => owed.list())
  return list.filter(({ chainId, owner }) => chainId === chain.id && isAddressEqual(owner, wallet))
}

/** Whether a signed transaction takes this allowance back. */
export function takesBack(
  { rawTransaction }: JournalEntry,
  allowance: Pick<OwedAllowance, 'token' | 'spender'>,
): boolean {
  const { to, data } = parseTransaction(rawTransaction)
  const step = revokeStep(allowance)
  return to != null && isAddressEqual(to, step.to) && data === step.data
}

function allowanceOf({ client, wallet }: Trip, { token, spender }: OwedAllowance): Promise<bigint> {
  return client.readContract({ address: token, abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] })
}

async function revoke(trip: Trip, owed: OwedAllowance): Promise<TransactionReceipt> {
  const { engine, chain, client, wallet } = trip
  const step = revokeStep(owed)
  const [{ fees, transactionCount: latestCount }, gasUsed, priced] = await Promise.all([
    survey({ ...engine, client, chain, wallet, allowances: [] }),
    client.estimateGas({ account: wallet, to: step.to, data: step.data }),
    priceTokens([], { ...engine, directory: engine.tokens, chain }),
  ])
  // An allowance is taken back without a price too, for the small fixed sum.
  throwFirst(dearGas(engine.policy, [gasUsed], fees, priced, 'lenient'))
  const facts = { why: 'take back an allowance that an earlier request left' }
  const entry = await sign(trip, step, { gasUsed, fees, latestCount, reservationId: null, facts })
  return confirm(trip, step, await broadcast(trip, entry))
}

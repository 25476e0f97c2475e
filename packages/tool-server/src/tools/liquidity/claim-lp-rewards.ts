import * as z from 'zod'
import { isAddressEqual } from 'viem'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { tokenLabel } from '@svc/amm'
import { writeTool } from '../../tool.ts'
import { addressInput, chainInput, invalidField, tokenInput } from '../params.ts'
import { notesResult, priceNotes, tokenAmount, usdResult, writeResult, writeStamp } from '../results.ts'

export const claimLpRewards = writeTool({
  name: 'claim_lp_rewards',
  title: 'Claim rewards',
  description:
    "Claims all that incentive campaigns owe the agent wallet in some tokens, by proofs held against the distributor on chain; get_claimable_rewards shows what waits. Needs the operator's trading API key. Pays the agent wallet only.",
  scope: 'write:liquidity',
  destructive: false,
  idempotent: false,
  input: z.strictObject({
    chain: chainInput,
    tokens: z.array(tokenInput).min(1, 'Accepted: 1 to 20 reward tokens').max(20, 'Accepted: 1 to 20 reward tokens'),
    distributor: addressInput.optional().describe("Default: the chain's"),
  }),
  output: z.object({
    ...writeResult,
    claimed: z.array(z.object({ token: z.string(), symbol: z.string(), amount: z.string(), amountUsd: usdResult })),
    totalClaimedUsd: usdResult,
    distributor: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const named = await Promise.all(
    input.tokens.map((token, index) => context.tokens.resolve(chain, token, `tokens.${index}`)),
  )
  const tokens = [...new Map(named.map((token) => [token.address, token])).values()]
  const { rewardDistributor } = chain
  if (input.distributor !== undefined && rewardDistributor !== undefined) {
    if (!isAddressEqual(input.distributor, rewardDistributor)) {
      throw invalidField('distributor', 'This is not the distributor of the chain.', rewardDistributor)
    }
  }
  const planned = await context.rewards.planClaim({
    chain,
    wallet: context.wallet.address,
    tokens: tokens.map(({ address }) => address),
  })
  const prices = await Promise.all(tokens.map((token) => context.prices.usd(chain, token)))
  return context.execute(planned.intent, async (settled) => {
    const paid = await planned.decode(settled)
    const rows = tokens.flatMap((token, index) => {
      const reward = paid.find((one) => isAddressEqual(one.token, token.address))
      return reward === undefined ? [] : [{ token, price: prices[index] ?? null, amount: reward.amount }]
    })
    const claimed = rows.map(({ token, price, amount }) => ({
      token: token.address,
      symbol: token.symbol,
      amount: tokenAmount(amount, token),
      amountUsd: valueUsd(amount, token, price),
    }))
    const missing = tokens.filter((token) => rows.every((row) => row.token !== token))
    return {
      ...writeStamp(chain, planned.intent, settled),
      claimed,
      totalClaimedUsd: sumUsd(...claimed.map(({ amountUsd }) => amountUsd)),
      distributor: planned.distributor,
      notes: [
        ...(planned.notes ?? []),
        ...settled.warnings,
        ...missing.map((token) => `Nothing was claimable in ${tokenLabel(token)}.`),
        ...priceNotes(...rows.map(({ token, price }) => [token, price] as const)),
      ],
    }
  })
})

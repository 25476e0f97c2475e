import { formatAmount } from '@svc/lp-math'
import * as z from 'zod'
import { readWalletBalances } from '../../analysis/read-wallet-balances.ts'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { type Token, tokenLabel } from '@svc/amm'
import { readTool } from '../../tool.ts'
import { addressInput, chainInput, requireAddress, tokenInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, tokenAmount, usdResult } from '../results.ts'

export const getAgentBalance = readTool({
  name: 'get_agent_balance',
  title: 'Wallet balance',
  description:
    "What a wallet, by default the agent's, holds on a chain: native currency, listed tokens, tokens you name, and allowances of known contracts. Use it before a write. Does not count liquidity positions.",
  scope: 'read:portfolio',
  input: z.strictObject({
    address: addressInput.optional().describe('Default: the agent wallet'),
    chain: chainInput,
    tokens: z.array(tokenInput).max(50).default([]).describe('Also these, even at zero'),
  }),
  output: z.object({
    ...blockResult,
    address: z.string(),
    native: z.object({ symbol: z.string(), amount: z.string(), usd: usdResult }),
    tokens: z.array(z.object({ address: z.string(), symbol: z.string(), amount: z.string(), usd: usdResult })),
    totalUsd: usdResult,
    allowances: z.array(
      z.object({
        token: z.string(),
        spender: z.string(),
        via: z.string(),
        amount: z.string(),
        expiresAt: z.string().nullable(),
      }),
    ),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const owner = requireAddress(input.address, context.agentAddress, 'address')
  const asked = await Promise.all(
    input.tokens.map((token, index) => context.tokens.resolve(chain, token, `tokens.${index}`)),
  )
  const held = await readWalletBalances(context, chain, owner, asked)
  const worthOf = async (token: Token, amount: bigint) => {
    const price = amount === 0n ? null : await context.prices.usd(chain, token)
    return { token, amount, usd: amount === 0n ? 0 : valueUsd(amount, token, price) }
  }
  const [nativePrice, tokens] = await Promise.all([
    context.prices.usd(chain, context.tokens.wrapped(chain)),
    Promise.all(held.tokens.map(({ token, amount }) => worthOf(token, amount))),
  ])
  const native = {
    symbol: chain.nativeCurrency.symbol,
    amount: formatAmount(held.native, chain.nativeCurrency.decimals),
    usd: held.native === 0n ? 0 : valueUsd(held.native, context.tokens.wrapped(chain), nativePrice),
  }
  return {
    ...blockStamp(chain, context, held.blockNumber),
    address: owner,
    native,
    tokens: tokens.map(({ token, amount, usd }) => ({
      address: token.address,
      symbol: token.symbol,
      amount: tokenAmount(amount, token),
      usd,
    })),
    totalUsd: sumUsd(...[native, ...tokens].map(({ usd }) => usd).filter((usd) => usd !== null)),
    allowances: held.allowances.map(({ token, spender, via, amount, expiresAt }) => ({
      token: token.address,
      spender,
      via,
      amount: tokenAmount(amount, token),
      expiresAt: endOf(expiresAt),
    })),
    notes: [
      ...(native.usd === null ? [missing(native.symbol)] : []),
      ...tokens.flatMap(({ token, usd }) => (usd === null ? [missing(tokenLabel(token))] : [])),
      unlistedNote,
    ],
  }
})

/** Permit2 takes ends that no calendar has: such an allowance does not expire, as one of ERC-20. */
function endOf(expiresAt: number | null): string | null {
  const end = new Date((expiresAt ?? Number.NaN) * 1_000)
  return Number.isNaN(end.getTime()) ? null : end.toISOString()
}

/** The chain does not tell which tokens an address holds. */
const unlistedNote = 'Of unlisted tokens only those named in tokens are looked at.'

function missing(label: string): string {
  return `No trustworthy USD price for ${label}: totalUsd leaves it out.`
}

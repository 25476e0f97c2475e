import { formatAmount } from '@svc/lp-math'
import * as z from 'zod'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { type Token, tokenLabel } from '@svc/amm'
import { readTool } from '../../tool.ts'
import { addressInput, chainInput, requireAddress, tokenInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, tokenAmount, usdResult } from '../results.ts'
import type { Chain } from '@svc/wallet/core'
import { type Address, parseAbi } from 'viem'
import type { Ports } from '../../ports.ts'
import { erc20Abi, permit2Abi } from '@svc/amm/abis'
import { contractFunction, contractRead, everyResult, joinQueries, query, readAtHead } from '@svc/amm/rpc'

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

/**
 * What an address holds at one block, in smallest units: the native currency, the tokens with a balance that the chain's list or the policy names and
 * every token in `asked`; and what the chain's known spenders could take of them, by an ERC-20 allowance, or by a Permit2
 * allowance as far as it has not expired and Permit2 itself may move the token. A token that does not answer counts as
 * zero; one that is the native currency itself is counted once.
 */
async function readWalletBalances(
  ports: Pick<Ports, 'rpc' | 'tokens'>,
  chain: Chain,
  owner: Address,
  asked: readonly Token[],
): Promise<WalletBalances> {
  const [own, added] = await Promise.all([
    Promise.all(chain.tokens.map((row) => ports.tokens.byAddress(chain, row.address))),
    ports.tokens.listedByPolicy(chain),
  ])
  const named = asked.filter((token) => !token.isNative)
  const tokens = [...new Map([...named, ...own, ...added].map((token) => [token.address, token])).values()].filter(
    (token) => !isNativeItself(chain, token),
  )
  const pairs = tokens.flatMap((token) => erc20Spenders(chain).map((spender) => ({ token, spender })))
  const permits = tokens.flatMap((token) => permit2Spenders(chain).map((spender) => ({ token, spender })))
  const { head, result } = await readAtHead(
    ports.rpc,
    chain,
    joinQueries([
      query([readNative(chain.multicall3, [owner])], ([native]) => everyResult([native])),
      query(
        tokens.map((token) => balanceRead(token, owner)),
        (amounts) => amounts,
      ),
      query(
        pairs.map(({ token, spender }) => allowanceRead(token, owner, spender)),
        (amounts) => amounts,
      ),
      query(
        permits.map(({ token, spender }) => permitRead(chain, token, owner, spender)),
        (rows) => rows,
      ),
    ] as const),
  )
  const [[native = 0n], amounts, allowances, permitRows] = result
  const shown = new Set(named.map((token) => token.address))
  return {
    blockNumber: head.number,
    native,
    tokens: tokens
      .map((token, index) => ({ token, amount: amounts[index] ?? 0n }))
      .filter(({ token, amount }) => amount > 0n || shown.has(token.address)),
    allowances: [
      ...pairs.map(({ token, spender }, index) => {
        const amount = allowances[index] ?? 0n
        return { token, spender, via: 'erc20' as const, amount, expiresAt: null }
      }),
      ...permits.map(({ token, spender }, index) => {
        const [permitted, expiresAt] = permitRows[index] ?? [0n, 0]
        const isDead = BigInt(expiresAt) <= head.timestamp
        const below =
          allowances[pairs.findIndex((pair) => pair.token === token && pair.spender === chain.permit2)] ?? 0n
        const amount = isDead ? 0n : permitted < below ? permitted : below
        return { token, spender, via: 'permit2' as const, amount, expiresAt }
      }),
    ].filter(({ amount }) => amount > 0n),
  }
}

export type WalletBalances = {
  readonly blockNumber: bigint
  readonly native: bigint
  readonly tokens: readonly { readonly token: Token; readonly amount: bigint }[]
  readonly allowances: readonly WalletAllowance[]
}

export type WalletAllowance = {
  readonly token: Token
  readonly spender: Address
  readonly via: 'erc20' | 'permit2'
  readonly amount: bigint
  /** Unix seconds; null for an ERC-20 allowance, which does not expire. */
  readonly expiresAt: number | null
}

/** On some chains the wrapped native token is no wrapper but the native currency seen as a token. */
function isNativeItself(chain: Chain, token: Token): boolean {
  return token.address === chain.wrappedNative.address && chain.wrappedNative.symbol === chain.nativeCurrency.symbol
}

function erc20Spenders({ amm, permit2 }: Chain): readonly Address[] {
  return present([permit2, amm.v2?.router, amm.v3?.positionManager, amm.v3?.swapRouter02])
}

function permit2Spenders({ amm }: Chain): readonly Address[] {
  return present([amm.universalRouter?.address, amm.v4?.positionManager])
}

function present(addresses: readonly (Address | undefined)[]): readonly Address[] {
  return addresses.filter((address) => address !== undefined)
}

/** Of Multicall3, so that it is of the same block as the rest. */
const readNative = contractFunction(
  parseAbi(['function getEthBalance(address owner) view returns (uint256 balance)']),
  'getEthBalance',
)

function balanceRead(token: Token, owner: Address) {
  return contractRead(token.address, erc20Abi, 'balanceOf', [owner])
}

function allowanceRead(token: Token, owner: Address, spender: Address) {
  return contractRead(token.address, erc20Abi, 'allowance', [owner, spender])
}

function permitRead(chain: Chain, token: Token, owner: Address, spender: Address) {
  return contractRead(chain.permit2, permit2Abi, 'allowance', [owner, token.address, spender])
}

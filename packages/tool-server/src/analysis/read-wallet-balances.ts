import type { Chain } from '@svc/wallet/core'
import { type Address, parseAbi } from 'viem'
import type { Ports } from '../ports.ts'
import type { Token } from '@svc/amm'
import { erc20Abi, permit2Abi } from '@svc/amm/abis'
import { contractFunction, contractRead, everyResult, joinQueries, query, readAtHead } from '@svc/amm/rpc'

/**
 * What an address holds at one block, in smallest units: the native currency, the tokens with a balance that the chain's list or the policy names and
 * every token in `asked`; and what the chain's known spenders could take of them, by an ERC-20 allowance, or by a Permit2
 * allowance as far as it has not expired and Permit2 itself may move the token. A token that does not answer counts as
 * zero; one that is the native currency itself is counted once.
 */
export async function readWalletBalances(
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

import { WalletError } from '../../wallet-error.ts'

/** Takes `<chainId>:<tokenId>` apart. The first token id is 0. Throws `VALIDATION_CONFIG_INVALID`. */
export function parseAgentId(agentId: string): { readonly chainId: number; readonly tokenId: bigint } {
  const [, chain, token] = /^([1-9]\d{0,15}):(0|[1-9]\d{0,77})$/.exec(agentId) ?? []
  const chainId = Number(chain)
  const tokenId = BigInt(token ?? -1)
  if (chain !== undefined && Number.isSafeInteger(chainId) && tokenId < 2n ** 256n) return { chainId, tokenId }
  throw new WalletError(
    'VALIDATION_CONFIG_INVALID',
    'agentId is not valid; accepted: <chainId>:<tokenId>, such as 8453:17.',
  )
}

import type { OpenFaucetChain } from './open-faucet.ts'

/** Where people see a transaction; `null` before there is one, and on chains without an explorer. */
export function explorerUrl({ chain }: Pick<OpenFaucetChain, 'chain'>, txHash: string | null): string | null {
  return chain.explorerUrl === null || txHash === null ? null : `${chain.explorerUrl}/tx/${txHash}`
}

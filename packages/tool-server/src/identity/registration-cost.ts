import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { Ports } from '../ports.ts'
import { readGasPrice } from '../analysis/read-gas-price.ts'

/**
 * What a registration may cost at most, in wei: the gas that the chain reckons for a card that stands in the agent URI,
 * the dearest kind, at twice the base fee, and three tenths more. Data fees of rollups are left out. Throws as
 * `Identities.plan`, and `RPC_*`.
 */
export async function registrationCostWei(
  context: Pick<Ports, 'identities' | 'rpc' | 'prices' | 'tokens'>,
  chain: Chain,
  owner: Address,
  signal: AbortSignal,
): Promise<bigint> {
  const request = { owner, role: 'vault_creator', name: 'agent', ipfsMode: 'inline', pin: false } as const
  const { to, data } = await context.identities.plan(chain, request, signal)
  const [gas, { baseFeeWei, priorityFeeWei }] = await Promise.all([
    context.rpc.client(chain).estimateGas({ account: owner, to, data }),
    readGasPrice(context, chain),
  ])
  return (gas * (2n * baseFeeWei + priorityFeeWei.normal) * 13n) / 10n
}

import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { Ports } from '../../ports.ts'
import { readGasPrice } from '../../analysis/value-usd.ts'
import { formatAmount, parseAmount } from '@svc/lp-math'
import * as z from 'zod'
import { ToolError } from '@svc/amm'
import { writeTool } from '../../tool.ts'
import type { ProvisionReport, WriteContext } from '../../tool-context.ts'
import { chainInput } from '../params.ts'
import { notesResult, readResult, readStamp } from '../results.ts'

export const provisionWallet = writeTool({
  name: 'provision_wallet',
  title: 'Provision the wallet',
  description:
    'First step of setting an agent up: its wallet, made where there is none and the operator allows it; whether it can register, whom to ask for how much gas. Sends nothing, never replaces a wallet.',
  scope: 'admin:wallet',
  destructive: false,
  idempotent: true,
  makesWallet: true,
  input: z.strictObject({ chain: chainInput }),
  output: z.object({
    ...readResult,
    status: z.literal('ready'),
    address: z.string(),
    walletType: z.string(),
    native: z.object({ symbol: z.string(), amount: z.string() }),
    registrationCost: z.string().nullable(),
    canRegister: z.boolean(),
    fund: z.object({ address: z.string(), amount: z.string(), symbol: z.string() }).nullable(),
    agentId: z.string().nullable(),
    nextSteps: z.array(z.string()),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const { provisioned, wallet } = context
  const { address, type } = wallet
  const [balance, registry] = await Promise.all([
    context.rpc.client(chain).getBalance({ address }),
    standingAt(chain, context),
  ])
  const { symbol, decimals } = chain.nativeCurrency
  const { cost, agentId } = registry
  const missing = cost === null || agentId !== null || balance >= cost ? null : shortfall(balance, cost, decimals)
  const fund = missing === null ? null : { address, amount: formatAmount(missing, decimals), symbol }
  return {
    ...readStamp(chain, context),
    status: 'ready' as const,
    address,
    walletType: type,
    native: { symbol, amount: formatAmount(balance, decimals) },
    registrationCost: cost === null ? null : formatAmount(cost, decimals),
    canRegister: cost !== null && agentId === null && fund === null,
    fund,
    agentId,
    nextSteps: [
      ...(fund === null ? [] : [`Ask the operator to send ${fund.amount} ${symbol} to ${address} on ${chain.name}.`]),
      'Call check_setup_health.',
      ...registry.nextSteps,
    ],
    notes: [...(provisioned === null ? [] : [madeNote(provisioned)]), ...registry.notes, fences[type]],
  }
})

/** What was done at the provider. */
function madeNote({ walletId, role, chains }: ProvisionReport): string {
  return `The wallet ${walletId} was made at the provider, its policy before it: what the template of ${role} allows on ${chains.join(', ')}, and nothing else. Both were read back and compared, and what the policy forbids was refused. Its key never leaves the provider, and the operator's key alone changes its policy.`
}

/** What is known of the fences around the key, beside the policy of this server. */
const fences = {
  local:
    "The private key is in this server's settings, so nothing but this server's policy limits what is signed. For development alone: with a wallet of this type a server in production mode does not start.",
  managed:
    'The provider holds the key and keeps to its own policy there, which this server does not read: SIGNER_REFUSED says where it is the stricter one.',
} as const

/** What a person is asked for at least, whatever the estimate: the decimal amount of native currency. */
const leastFunding = '0.005'

/** In wei. */
function shortfall(balance: bigint, cost: bigint, decimals: number): bigint {
  const least = parseAmount(leastFunding, decimals)
  return cost - balance > least ? cost - balance : least
}

type Standing = {
  /** In wei; `null` where it cannot be reckoned. */
  readonly cost: bigint | null
  readonly agentId: string | null
  readonly nextSteps: readonly string[]
  readonly notes: readonly string[]
}

/** How the wallet stands in the registry of the chain. */
async function standingAt(chain: Chain, context: WriteContext): Promise<Standing> {
  const { identities, wallet, signal } = context
  try {
    const { agents } = await identities.find(chain, wallet.address)
    const agentId = agents.find(({ origin }) => origin === 'registered')?.agentId ?? null
    const cost = await registrationCostWei(context, chain, wallet.address, signal)
    const next = agentId === null ? 'Call register_agent.' : `Nothing to register: the wallet is agent ${agentId}.`
    return { cost, agentId, nextSteps: [next], notes: [costNote(chain)] }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'VALIDATION_CHAIN_NOT_SUPPORTED') throw error
    return { cost: null, agentId: null, nextSteps: [error.suggestion], notes: [error.message] }
  }
}

function costNote({ nativeCurrency: { symbol } }: Chain): string {
  return `registrationCost is in ${symbol}, and the most that it may be, at twice the base fee and with its whole card in the agent URI; less is paid as a rule. It leaves out data fees of rollups.`
}

/**
 * What a registration may cost at most, in wei: the gas that the chain reckons for a card that stands in the agent URI,
 * the dearest kind, at twice the base fee, and three tenths more. Data fees of rollups are left out. Throws as
 * `Identities.plan`, and `RPC_*`.
 */
async function registrationCostWei(
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

import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { type Intent, ToolError } from '@svc/amm'
import type { Grant, RegistrationPlan } from '../../ports.ts'
import { writeTool } from '../../tool.ts'
import type { WriteContext } from '../../tool-context.ts'
import { agentRoleInput, chainInput, endpointInput, invalidField, publishedText } from '../params.ts'
import { notesResult, writeResult, writeStamp } from '../results.ts'

export const registerAgent = writeTool({
  name: 'register_agent',
  title: 'Register the agent',
  description:
    'Registers the agent wallet as an agent on chain (ERC-8004). An identity it has already is given back instead; force mints another. What you give is public for good. Use after provision_wallet and check_setup_health. Never calls the endpoints.',
  scope: 'admin:wallet',
  destructive: false,
  idempotent: false,
  input: z.strictObject({
    role: agentRoleInput.describe('Invests in vaults, manages them, or builds them'),
    chain: chainInput,
    name: publishedText(100).optional().describe("Default: the operator's"),
    description: publishedText(2_000).optional().describe("Default: the role's"),
    mcpEndpoint: endpointInput.optional(),
    a2aEndpoint: endpointInput.optional().describe('Managers and creators'),
    ipfsMode: z
      .enum(['proxy', 'pinata', 'inline'], { error: 'Accepted: proxy, pinata or inline' })
      .optional()
      .describe("Default: the operator's"),
    force: z.boolean().default(false).describe('Also when registered'),
  }),
  output: z.object({
    ...writeResult,
    txHash: z.string().nullable(),
    alreadyRegistered: z.boolean(),
    agentId: z.string(),
    tokenId: z.string(),
    registrationMethod: z.string().nullable(),
    agentURI: z.string(),
    agentRegistry: z.string(),
    owner: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const owner = context.wallet.address
  if (input.a2aEndpoint !== undefined && input.role === 'vault_participant') {
    const message = 'A vault_participant serves nobody over A2A.'
    throw invalidField('a2aEndpoint', message, 'with role vault_manager or vault_creator')
  }
  // Read before the search, so that what comes between the two shows when it is this call's turn.
  const restsOn = input.force ? [] : [await context.identities.count(chain, owner)]
  const known = input.force ? null : await knownIdentity(chain, context)
  if (known !== null) return known
  const { force: _, chain: __, ...card } = input
  const request = { ...card, owner, pin: !context.isDryRun }
  const plan = await context.identities.plan(chain, request, context.signal)
  const direct = registration(plan, input.role, restsOn)
  const register = (intent: Intent, notes: readonly string[]) =>
    context.execute(intent, (settled) => ({
      ...writeStamp(chain, intent, settled),
      alreadyRegistered: false,
      ...context.identities.registeredIn(settled.main.logs, plan),
      registrationMethod: plan.registrationMethod,
      agentURI: plan.agentURI,
      agentRegistry: plan.agentRegistry,
      owner,
      notes: [...plan.warnings, ...notes],
    }))
  const fromWallet = async (notes: readonly string[]) => {
    const granted = context.isDryRun ? [] : grantNotes(await context.identities.grant(chain, owner, context.signal))
    return register(direct, [...notes, ...granted]).catch((failure: unknown) => {
      throw withFunding(failure, chain, owner, granted)
    })
  }
  const paysItself = (failure: unknown) => {
    if (!(failure instanceof ToolError) || failure.code !== 'ATOMIC_EXECUTION_UNAVAILABLE') throw failure
    return fromWallet([`The wallet paid the gas itself. ${failure.message}`])
  }
  if ((await context.atomicRoute(chain)) !== 'user-operation') return await fromWallet([])
  // Where bundler or paymaster do not agree nothing is signed, and the wallet may pay itself.
  return await register({ ...direct, atomicity: 'user-operation' }, ['A paymaster paid the gas.']).catch(paysItself)
})

function grantNotes(grant: Grant): readonly string[] {
  if (grant.status === 'granted') return ['The faucet of the support API gave the gas.']
  return grant.status === 'refused' ? [`The faucet gave no gas: ${grant.reason}`] : []
}

/** Nobody paid: then a person is asked, and the call is made again later. */
function withFunding(failure: unknown, chain: Chain, owner: string, granted: readonly string[]): unknown {
  if (!(failure instanceof ToolError) || failure.code !== 'INSUFFICIENT_BALANCE') return failure
  const { symbol } = chain.nativeCurrency
  const suggestion = `Ask the operator to send ${symbol} to ${owner} on ${chain.name} (provision_wallet says how much), then call register_agent again.`
  const message = [failure.message, ...granted].join(' ')
  return new ToolError('INSUFFICIENT_BALANCE', message, { suggestion, details: failure.details, cause: failure })
}

function registration({ chainId, to, data }: RegistrationPlan, role: string, restsOn: Intent['restsOn']): Intent {
  return {
    chainId,
    calls: [{ to, data, valueWei: 0n, label: 'register agent', exact: true }],
    atomicity: 'single',
    spends: [],
    receives: [],
    approvals: [],
    riskTier: 'routine',
    slippageBps: null,
    deadline: null,
    recipients: [],
    restsOn,
    why: `Register the agent wallet as ${role} in the identity registry.`,
  }
}

/**
 * The newest identity that the wallet registered and owns. What others sent it is none of its own. Throws
 * `AGENT_ID_UNKNOWN` where the registry does not tell whether there is one.
 */
async function knownIdentity(chain: Chain, context: WriteContext) {
  const { identities, wallet, signal } = context
  const { agents, complete } = await identities.find(chain, wallet.address)
  const own = agents.find(({ origin }) => origin === 'registered')
  if (own === undefined) {
    if (complete) return null
    throw new ToolError('AGENT_ID_UNKNOWN', 'The registry does not show whether the wallet is registered already.')
  }
  const { agentId, tokenId, agentURI, agentRegistry, owner } = await identities.get(chain, own.tokenId, signal)
  return {
    status: 'success' as const,
    txHash: null,
    explorerUrl: null,
    transactions: [],
    atomicity: 'none',
    gasCostUsd: 0,
    alreadyRegistered: true,
    agentId,
    tokenId,
    registrationMethod: null,
    agentURI,
    agentRegistry,
    owner,
    notes: ['The wallet is registered already; nothing was sent.'],
  }
}

import { ToolError } from '@svc/amm'
import { registrationPath, type Registration, registrationsOf } from '../cards/agent-documents.ts'
import type { Config } from '../config/config-shape.ts'
import type { AgentIdentity, Ports } from '../ports.ts'
import { guardedRequest, ReachError } from '../reach/guarded-request.ts'
import type { SetupCheck } from '../tool-context.ts'
import { failed, passed, setCommand, warned } from './check-settings.ts'

/**
 * Whether registry, card and endpoint agree on the agent that the operator names: the registry that it is of this wallet, its card that it is
 * reached where clients reach this server, and that place that it is this agent. Nothing where none is named.
 */
export async function checkAgent(
  config: Pick<Config, 'agent'>,
  { identities, agentAddress }: Pick<Ports, 'identities' | 'agentAddress'>,
  servedAt: string | null,
): Promise<readonly SetupCheck[]> {
  const { agent } = config
  if (agent === null) return []
  const id = 'agent'
  const name = `${agent.chain.id}:${agent.tokenId}`
  const identity = await identities
    .get(agent.chain, agent.tokenId, AbortSignal.timeout(timeoutMs))
    .catch((error: unknown) => (error instanceof ToolError ? error : Promise.reject(error as Error)))
  if (identity instanceof ToolError) {
    return [
      {
        id,
        status: 'fail',
        message: `The agent ${name} cannot be read: ${identity.message}`,
        fix: identity.suggestion,
      },
    ]
  }
  const found =
    fromRegistry(identity, agentAddress) ??
    fromCard(identity, servedAt) ??
    (servedAt === null ? null : await fromEndpoint(servedAt, registrationsOf(config)))
  if (found !== null) return [{ id, status: 'warn', ...found }]
  const where = servedAt === null ? 'over stdio nobody reaches it elsewhere' : `the endpoint ${servedAt} agree`
  return [{ id, status: 'pass', message: `Of the agent ${name} registry, card and ${where}.`, fix: null }]
}

type Disagreement = Pick<SetupCheck, 'message' | 'fix'>

function fromRegistry({ owner, agentWallet }: AgentIdentity, agentAddress: Ports['agentAddress']): Disagreement | null {
  if (agentAddress === null || [owner, agentWallet].includes(agentAddress)) return null
  const message = `The agent belongs to ${owner} and acts with ${agentWallet ?? 'no wallet'}; this server signs as ${agentAddress}.`
  return { message, fix: 'Name the agent of this wallet in SVC_AGENT_ID; query_agent_identity lists what it owns.' }
}

function fromCard({ registrationFile: file, fileStatus }: AgentIdentity, servedAt: string | null): Disagreement | null {
  if (file === null) {
    const fix = 'Publish the card where its URI leads, or set SVC_GATEWAY_URL to a gateway that has it.'
    return { message: `The card of the agent cannot be read (${fileStatus}).`, fix }
  }
  if (servedAt === null || file.services.some(({ endpoint }) => endpoint === servedAt)) return null
  const message = `No endpoint on the card of the agent is ${servedAt}, where clients reach this server.`
  return { message, fix: 'Put it on the card (updateAgent of @svc/wallet), or correct SVC_PUBLIC_URL.' }
}

/** Asks as anybody else would, by the address that the card names. */
async function fromEndpoint(servedAt: string, own: readonly Registration[]): Promise<Disagreement | null> {
  const url = new URL(registrationPath, servedAt).href
  const place = { what: url, url, allowsPrivate: true, timeoutMs }
  const asked = { method: 'GET', headers: { accept: 'application/json' }, mostBytes: 16_384 } as const
  const answer = await guardedRequest(place, asked, new AbortController().signal).catch((error: unknown) => {
    if (error instanceof ReachError) return error
    throw error
  })
  const fix =
    'See that SVC_PUBLIC_URL leads to this server from outside, and that nothing before it answers for /.well-known.'
  if (answer instanceof ReachError) return { message: answer.message, fix }
  if (answer.status === 200 && proves(answer.text, own)) return null
  return { message: `${url} does not prove this agent (status ${answer.status}).`, fix }
}

function proves(text: string, own: readonly Registration[]): boolean {
  try {
    const { registrations } = JSON.parse(text) as { readonly registrations?: unknown }
    return JSON.stringify(registrations) === JSON.stringify(own)
  } catch {
    return false
  }
}

const timeoutMs = 5_000

/**
 * Whether the identity provider that the operator names knows the app id, as pin proxy and faucet ask before they do anything for it. Nothing
 * where either is not named.
 */
export async function checkAppId(
  { upstream: { appId, identityProviderUrl } }: Pick<Config, 'upstream'>,
  place: string,
): Promise<readonly SetupCheck[]> {
  if (appId === null || identityProviderUrl === null) return []
  const id = 'app-id'
  const url = `${identityProviderUrl.replace(/\/+$/, '')}/api/v1/apps/${encodeURIComponent(appId)}/config`
  const asked = { method: 'GET', headers: { accept: 'application/json' }, mostBytes: 65_536 } as const
  const reached = { what: 'the identity provider', url, allowsPrivate: true, timeoutMs: lookupTimeoutMs }
  const answer = await guardedRequest(reached, asked, new AbortController().signal).catch((error: unknown) => {
    if (error instanceof ReachError) return error
    throw error
  })
  if (answer instanceof ReachError) {
    return [warned(id, answer.message, 'See that SVC_IDENTITY_PROVIDER_URL leads to it, or try again later.')]
  }
  if (answer.status === 200) return [passed(id, 'The identity provider knows the app id (WALLET_APP_ID).')]
  if (answer.status >= 500) {
    return [warned(id, `The identity provider answers ${answer.status}.`, 'Try again later.')]
  }
  const message = `The identity provider knows no such app (WALLET_APP_ID; status ${answer.status}), so pin proxy and faucet refuse it.`
  return [
    failed(
      id,
      message,
      `Name the app of your account there. Run: ${setCommand('WALLET_APP_ID', 'YOUR_APP_ID', place)}`,
    ),
  ]
}

const lookupTimeoutMs = 5_000

import { batchDelegateDeployment, holdsBatchDelegate, openReads, parsePolicy, readPolicyFile } from '@svc/engine/policy'
import { ToolError } from '@svc/amm'
import { chainAccess } from '@svc/tool-server'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { type Chain, findChain } from '@svc/wallet/core'
import type { Hex } from 'viem'
import { requireAsking, saysYes, type Terminal } from '../ask-on-terminal.ts'
import { endedWorld } from '../lp/ask-pool.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { sayTaken } from '../server-settings.ts'
import { UsageError } from '../usage-error.ts'
import { policyPlace, printable, printProblems } from './policy-place.ts'
import { replacePolicy, membersOf } from './edit-policy.ts'

/**
 * `svc policy add-delegate CHAIN`: names the batch delegate of a chain in the policy file once a person has said yes, so that
 * several calls can be one transaction there. Where the contract does not stand yet it prints the transaction that deploys it,
 * for any account to send, writes nothing and resolves to 1, as it does where the person says no.
 */
export async function addDelegate(
  argv: readonly string[],
  stopped: Promise<StopCause>,
  terminal: Terminal = { input: process.stdin, output: process.stdout },
): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, flagNames)
  const [named, more] = words
  if (named === undefined || more !== undefined) {
    throw new UsageError('svc policy add-delegate takes CHAIN: a name or id of a chain')
  }
  const settings = await policyPlace(flags['data-dir'], flags.policy ?? null, process.env)
  const { config, path } = settings
  const chain = findChain(config.chains, named)
  if (chain === undefined) {
    throw new UsageError(`CHAIN: accepted: ${config.chains.map(({ name }) => name).join(', ')}, or an id of one`)
  }
  requireAsking(flags, terminal)
  sayTaken({ ...settings, wallet: null })
  try {
    const file = await readPolicyFile(path)
    const production = config.production || flags.production
    const change = withDelegate(file?.written ?? {}, chain.id)
    parsePolicy(change.written, { production })
    const { rpc } = openReads(chainAccess(config), { memory: null, policy: () => parsePolicy({}, { production }) })
    const standing = await standingOf(rpc.client(chain))
    const isAsked = standing === 'ready' && change.isChanged
    if (!flags.json) process.stdout.write(textOf(chain, standing, change.replaced))
    const question = `Let the wallet delegate to it? This is written to ${path}.`
    const isWanted = isAsked && (flags.yes || (!flags.json && (await saysYes(question, terminal, stopped))))
    const written = isWanted ? await replacePolicy(path, change.written, file?.sha256 ?? null) : { backup: null }
    const status = statusOf({ standing, isChanged: change.isChanged, isWanted, json: flags.json })
    process.stdout.write(flags.json ? jsonOf({ chain, standing, status, path, ...written }) : `${ends[status](path)}\n`)
    return status === 'added' || status === 'unchanged' || status === 'proposed' ? 0 : 1
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const isOfWorld = settings.worldChains?.ids.has(chain.id) === true
    const ended = isOfWorld ? await endedWorld(error, config.dataDir) : null
    if (ended !== null) throw ended
    printProblems('svc policy add-delegate', error)
    return 1
  }
}

const flagNames = { values: ['data-dir', 'policy'], switches: ['yes', 'json', 'production'] } as const

/** Whether the contract is there, can be brought there, or neither. */
type Standing = 'ready' | 'missing' | 'no_factory'

async function standingOf(client: Parameters<typeof holdsBatchDelegate>[0]): Promise<Standing> {
  const [isReady, factory] = await Promise.all([
    holdsBatchDelegate(client, batchDelegateDeployment.address),
    client.getCode({ address: batchDelegateDeployment.to }),
  ])
  if (isReady) return 'ready'
  return factory === undefined ? 'no_factory' : 'missing'
}

/** The content of a policy file that names the batch delegate of a chain; every other member stays as it is. */
function withDelegate(written: unknown, chainId: number) {
  const policy = membersOf(written)
  const delegates = membersOf(policy['batchDelegate'])
  const known = delegates[`${chainId}`]
  const { address } = batchDelegateDeployment
  const isChanged = typeof known !== 'string' || known.toLowerCase() !== address.toLowerCase()
  const versioned = Object.keys(policy).length === 0 ? { version: 1 } : policy
  const replaced = isChanged && typeof known === 'string' ? known : null
  return { isChanged, replaced, written: { ...versioned, batchDelegate: { ...delegates, [chainId]: address } } }
}

type Status = 'added' | 'unchanged' | 'proposed' | 'declined' | 'missing' | 'no_factory'

function statusOf(of: {
  readonly standing: Standing
  readonly isChanged: boolean
  readonly isWanted: boolean
  readonly json: boolean
}): Status {
  if (of.standing !== 'ready') return of.standing
  if (!of.isChanged) return 'unchanged'
  if (of.isWanted) return 'added'
  return of.json ? 'proposed' : 'declined'
}

const ends: Readonly<Record<Status, (path: string) => string>> = {
  added: (path) => `Written to ${path}. svc policy check says whether it holds; docs/operating.md tells how to end it.`,
  unchanged: (path) => `${path} names it already. Nothing was written.`,
  proposed: () => 'Nothing was written.',
  declined: () => 'Nothing was written: only the word yes, written out, writes it.',
  missing: () =>
    'Nothing was written. Send that transaction from any account, wait until it is mined, and run this again.',
  no_factory: () =>
    `Nothing was written: the chain lacks the proxy ${batchDelegateDeployment.to} that puts the contract at this address. ` +
    'Deploy the proxy first (github.com/Arachnid/deterministic-deployment-proxy), or do without batches there.',
}

function textOf(chain: Chain, standing: Standing, replaced: string | null): string {
  const { address } = batchDelegateDeployment
  const is = standing === 'ready' ? 'stands there, to the byte' : 'is not there yet'
  const lines = [
    `delegate    ${address} on ${chain.name}: the batch delegate ${is}`,
    'means       the wallet runs its code from the first batch on (EIP-7702), which obeys the wallet alone; read',
    '            packages/devnet/contracts/BatchDelegate.sol, it fits on a page',
    ...(replaced === null ? [] : [`replaces    ${printable(replaced)}, which the policy names now`]),
    ...(standing === 'missing' ? deploymentLines(deploymentOn(chain)) : []),
  ]
  return `${lines.join('\n')}\n`
}

type DeploymentTransaction = { readonly chainId: number; readonly to: Hex; readonly value: '0'; readonly data: Hex }

function deploymentOn(chain: Chain): DeploymentTransaction {
  const { to, data } = batchDelegateDeployment
  return { chainId: chain.id, to, value: '0', data }
}

function deploymentLines({ chainId, to, data }: DeploymentTransaction): readonly string[] {
  return [
    'deploy it   by a transaction of any account, of some 600,000 gas:',
    `chain id    ${chainId}`,
    `to          ${to}`,
    `data        ${data}`,
  ]
}

function jsonOf(of: {
  readonly chain: Chain
  readonly standing: Standing
  readonly status: Status
  readonly path: string
  readonly backup: string | null
}): string {
  const deployment = of.standing === 'missing' ? deploymentOn(of.chain) : null
  const { address: delegate } = batchDelegateDeployment
  return `${JSON.stringify({ status: of.status, chainId: of.chain.id, delegate, deployment, file: of.path, backup: of.backup })}\n`
}
